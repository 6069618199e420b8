"""Plug-ins that ship with Gossamer, written only against ports and core values."""
