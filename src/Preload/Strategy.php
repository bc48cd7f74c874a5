<?php

declare(strict_types=1);

namespace Headroom\Preload;

/**
 * Which classes are wanted in the list, before anything that would break is taken out.
 *
 * @internal
 */
enum Strategy: string
{
    /** All of the framework. */
    case Laravel = 'laravel';

    /** The framework without the components that no observed request used. */
    case Refined = 'refined';

    /** That, and the packages that observed requests used. */
    case Vendors = 'vendors';

    /** The classes that observed requests used, wherever they are. */
    case Hot = 'hot';

    /** Of these, those of the framework. */
    case HotLaravel = 'hot-laravel';
}
