<?php

declare(strict_types=1);

enum Direction
{
    case Ascending;
    case Descending;
}
