<?php

declare(strict_types=1);

enum ion
{
    case Ascending;
    case Descending;
}
