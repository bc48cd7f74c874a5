<?php

declare(strict_types=1);

namespace Headroom\Preload;

/**
 * How the script has opcache take a class.
 *
 * @internal
 */
enum Mode: string
{
    /** opcache_compile_file(): no code of the application runs when PHP starts. */
    case Compile = 'compile';

    /**
     * class_exists() with a loader of our own over a frozen map of classes: files run,
     * so that what else they declare is there too.
     */
    case Autoload = 'autoload';
}
