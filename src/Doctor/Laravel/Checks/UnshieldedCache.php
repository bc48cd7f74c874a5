<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Laravel\RememberCalls;

/**
 * @internal
 */
final readonly class UnshieldedCache implements Check
{
    private const SHOWN = 5;

    public function examine(Facts $facts): iterable
    {
        $calls = $facts->get(RememberCalls::class)->places;

        if ($calls === []) {
            return [Finding::pass('no value is cached by remember() in app/ or routes/')];
        }

        $shown = implode(', ', array_slice($calls, 0, self::SHOWN)).(count($calls) > self::SHOWN ? ' and others' : '');

        return [Finding::skipped(
            "remember() is called at {$shown}; whether one of them is asked for by every page is not in the code",
            'headroom slowlog /var/log/php-fpm-POOL.slow.log   # of a run under load: frames of remember();'
                .' F8 switches it on',
        )];
    }
}
