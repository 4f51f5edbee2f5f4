"""What belongs to the whole process."""
