<?php

declare(strict_types=1);

namespace Headroom\Console\Preload;

use Closure;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\NotApplicable;
use Headroom\Preload\UnableToPreload;

/**
 * Refuses to preload if the PHP-FPM of this application serves other applications, too.
 *
 * @internal
 */
final readonly class SharedPools
{
    /** @param Closure(array<class-string, Closure(Facts): object>): Facts $facts */
    public function __construct(private Closure $facts) {}

    /**
     * If no PHP-FPM runs, as during the build of an image, or none can be asked, nothing is refused. The doctor checks
     * this again later.
     *
     * @throws UnableToPreload
     */
    public function refuse(string $root): void
    {
        try {
            $others = (new Pools(($this->facts)([]), $root))->others();
        } catch (FactUnavailable|NotApplicable) {
            return;
        }

        if ($others !== []) {
            throw UnableToPreload::sharedMaster($root, array_column($others, 'path'), $others[0]->source);
        }
    }
}
