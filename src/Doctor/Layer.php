<?php

declare(strict_types=1);

namespace Headroom\Doctor;

/**
 * Where it is to be mended.
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
