<?php

declare(strict_types=1);

enum 
{
    case Ascending;
    case Descending;
}
