<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Laravel\CacheRememberCalls;

/**
 * @internal
 */
final readonly class CacheStampede implements Check
{
    private const MAX_SHOWN = 5;

    public function examine(Facts $facts): iterable
    {
        $calls = $facts->get(CacheRememberCalls::class)->places;
        $shown = implode(', ', array_slice($calls, 0, self::MAX_SHOWN))
            .(count($calls) > self::MAX_SHOWN ? ' and others' : '');

        return [$calls === []
            ? Finding::pass('app/ and routes/ do not call remember()')
            : Finding::skipped(
                "{$shown} call remember(); the code does not show whether every page needs one of the values",
                'headroom logs:slow /var/log/php-fpm-POOL.slow.log   # of a run under load: frames of remember();'
                    .' F8 enables it',
            )];
    }
}
