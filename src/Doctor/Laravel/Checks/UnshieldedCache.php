<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Laravel\RememberCalls;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;

/**
 * @internal
 */
final readonly class UnshieldedCache implements Check
{
    private const SHOWN = 5;

    public function rule(): Rule
    {
        return new Rule(
            'L20',
            'When a cached value expires everybody makes it anew',
            Severity::Info,
            Layer::Laravel,
            'Cache::remember() makes a value when it is not there. When one that every page needs expires under load,'
                .' all requests find it gone in the same moment, and all make it: the database gets a hundred times the'
                .' same slow query. Cache::flexible() (Laravel 11.23) hands out the old value while one request makes'
                .' the new one.',
            'Never by itself: which value is asked for by every page, and is slow to make, is not in the code.'
                .' Where remember() is called in app/ or routes/, --all shows the places and the command that tells:'
                .' the slow log of a run under load shows whether processes wait in it.',
            ['https://laravel.com/docs/cache#swr'],
            20,
        );
    }

    public function examine(Facts $facts): array
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
