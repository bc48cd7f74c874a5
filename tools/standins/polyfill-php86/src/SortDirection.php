<?php

declare(strict_types=1);

enum n
{
    case Ascending;
    case Descending;
}
