<?php

declare(strict_types=1);

namespace Headroom\Preload;

/**
 * Which classes are requested for the list. Verification may exclude some of them.
 *
 * @internal
 */
enum Strategy: string
{
    /** All classes of the framework. */
    case Laravel = 'laravel';

    /** The framework without the components that no observed request used. */
    case Refined = 'refined';

    /** The same, and the packages that observed requests used. */
    case Vendors = 'vendors';

    /** The classes that observed requests used, of the application and of packages. */
    case Hot = 'hot';

    /** The classes of the framework that observed requests used. */
    case HotLaravel = 'hot-laravel';
}
