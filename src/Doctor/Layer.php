<?php

declare(strict_types=1);

namespace Headroom\Doctor;

/**
 * The layer in which the fix is made.
 */
enum Layer: string
{
    case Nginx = 'nginx';
    case Fpm = 'php-fpm';
    case Opcache = 'opcache';
    case Kernel = 'kernel';
    case Redis = 'redis';
    case Database = 'database';
    case Laravel = 'laravel';
    case Buffer = 'buffer';
}
