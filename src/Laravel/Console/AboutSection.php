<?php

declare(strict_types=1);

namespace Headroom\Laravel\Console;

use Headroom\Core\HeadroomException;
use Headroom\Laravel\Schedule\FlushSchedule;
use Headroom\Laravel\Schedule\LastFlush;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Spool\SpoolConfig;
use Headroom\Support\PhpRestrictions;

/**
 * The section of `php artisan about`.
 *
 * @internal
 */
final readonly class AboutSection
{
    public function __construct(private SpoolServices $spool) {}

    /** @return array<string, string> */
    public function toArray(): array
    {
        try {
            $config = PhpRestrictions::within(fn (): SpoolConfig => $this->spool->config());
        } catch (HeadroomException $e) {
            return ['Configuration' => "{$e->getMessage()} See spool:health."];
        }

        return [
            'Buffer' => $config->enabled() ? $config->path : "turned off; events in {$config->path} are still flushed",
            'Buckets' => $config->names() === [] ? 'none declared' : implode(', ', $config->names()),
            'Flush' => ($config->schedule() ? FlushSchedule::summary($config) : 'not scheduled')
                .($config->autoflush() === null
                    ? ''
                    : ", and after a response, at most every {$config->autoflush()} s"),
            'Last flush' => (new LastFlush($this->spool))->words(),
        ];
    }
}
