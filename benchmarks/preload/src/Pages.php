<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Preload;

use Headroom\Preload\Page;

/**
 * The workbench's pages for preloading: workbench/README.md.
 */
final readonly class Pages
{
    /** Typical answers of an application: most of their work is the framework's. */
    public const LIGHT = ['GET /pages/json', 'GET /pages/blade'];

    private const MEASURED = [...self::LIGHT, 'GET /pages/posts'];

    private const OTHERS = [
        'GET /pages/posts?page=2', 'GET /pages/validate', 'GET /pages/validate?email=ada@example.org&topic=orders',
        'GET /pages/mail',
        'POST /pages/notify', 'POST /pages/queue',
    ];

    /** They break under a list that was made without care. */
    public const TRAPS = [
        'GET /pages/anonymous', 'GET /pages/alias', 'GET /pages/optional', 'GET /pages/impure-parent',
        'GET /pages/trap', 'GET /pages/audited',
    ];

    /** @return non-empty-list<Page> */
    public static function measured(): array
    {
        return array_map(self::page(...), self::MEASURED);
    }

    /** @return non-empty-list<Page> */
    public static function loaded(): array
    {
        return array_map(self::page(...), self::LIGHT);
    }

    /** @return non-empty-list<Page> from which lists are made, and whose answers are compared */
    public static function all(): array
    {
        return array_map(self::page(...), [...self::MEASURED, ...self::OTHERS, ...self::TRAPS]);
    }

    private static function page(string $name): Page
    {
        [$method, $target] = explode(' ', $name, 2);

        return new Page($method, $target);
    }
}
