<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Causes;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\UnderLoad\Bottleneck;
use Headroom\Doctor\UnderLoad\Cause;
use Headroom\Doctor\UnderLoad\CauseDetector;
use Headroom\Doctor\UnderLoad\Recording;

/**
 * @internal
 */
final readonly class ApplicationErrors implements CauseDetector
{
    private const MIN_ERROR_RATE = 0.01;

    public function in(Recording $recording): ?Cause
    {
        $traffic = $recording->traffic;

        if ($traffic === null) {
            return null;
        }

        $statuses = array_filter(
            $traffic->statuses,
            static fn (int $status): bool => $status >= 400 && ! in_array($status, [502, 503, 504], true),
            ARRAY_FILTER_USE_KEY,
        );
        $share = $traffic->share(...array_keys($statuses));

        if ($share < self::MIN_ERROR_RATE) {
            return null;
        }

        arsort($statuses);
        $status = (int) array_key_first($statuses);

        return new Cause(
            Bottleneck::ApplicationErrors,
            // A page that fails does not do its work, so other measurements mean little.
            $share >= 0.5 ? 1.5 : $share,
            sprintf(
                'The application itself responds with errors: %.1f %% of the requests end with status %d.',
                100 * $traffic->share($status),
                $status,
            ),
            [
                new Evidence(
                    'answers by status',
                    implode(
                        ', ',
                        array_map(
                            static fn (int $status, int $count): string => "{$count} with {$status}",
                            array_keys($traffic->statuses),
                            $traffic->statuses,
                        ),
                    ),
                    'the load',
                ),
                ...$recording->evidence(),
            ],
            $recording->severity(),
            $status >= 500
                ? 'Read the exception in storage/logs/laravel.log.'
                : 'Look at the response: curl -i with this address. Do not measure a page behind a login, a rate limit'
                    .' (429) or a wrong address.',
        );
    }
}
