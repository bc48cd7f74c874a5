<?php

declare(strict_types=1);

namespace Headroom\Preload;

/**
 * How the script preloads a class.
 *
 * @internal
 */
enum Mode: string
{
    /** By opcache_compile_file(): no code of the application runs when PHP starts. */
    case Compile = 'compile';

    /**
     * By class_exists() with an autoloader over a fixed map of classes. The files run, so their functions, constants
     * and aliases are declared, too.
     */
    case Autoload = 'autoload';
}
