<?php

declare(strict_types=1);

namespace Headroom\Console\Preload;

use Closure;
use Headroom\Doctor\AbsentFact;
use Headroom\Doctor\Facts;
use Headroom\Doctor\UnknownFact;
use Headroom\Preload\UnableToPreload;

/**
 * Other applications that the PHP-FPM of this one serves as well.
 *
 * @internal
 */
final readonly class SharedPools
{
    /** @param Closure(array<class-string, Closure(Facts): object>): Facts $facts */
    public function __construct(private Closure $facts) {}

    /**
     * Where no PHP-FPM runs, as while an image is built, or where none can be asked, there is nothing to see;
     * the doctor looks again.
     *
     * @throws UnableToPreload
     */
    public function refuse(string $root): void
    {
        try {
            $others = (new Pools(($this->facts)([]), $root))->others();
        } catch (UnknownFact|AbsentFact) {
            return;
        }

        if ($others !== []) {
            throw UnableToPreload::sharedMaster($root, array_column($others, 'path'), $others[0]->source);
        }
    }
}
