<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Support;

use Headroom\Doctor\Diagnosis;
use Headroom\Doctor\Facts\Fpm\Applications;
use Headroom\Doctor\Facts\Fpm\FpmPool;
use Headroom\Doctor\Facts\Fpm\FpmPools;
use Headroom\Doctor\Facts\Fpm\Pool;
use Headroom\Doctor\Facts\Fpm\RunningMaster;
use Headroom\Doctor\Facts\Fpm\Setting;
use Headroom\Host\Fpm\Address;

/**
 * Pools of PHP-FPM whose opcache has preloaded files, and the verdict of one check on them.
 */
trait ExaminesPreloads
{
    private const PRELOADED = ['scripts' => ['/srv/app/preload.php', '/srv/app/vendor/a/b/B.php'], 'classes' => ['B']];

    private WebServers $machine;

    protected function setUp(): void
    {
        $this->machine = new WebServers;
    }

    /**
     * @param ?array<string, mixed> $statistics
     * @param ?array<string, mixed> $looked
     * @param array<string, mixed> $ini
     * @return array<string, mixed> what the probe prints
     */
    private static function runtime(string $script, ?array $statistics, ?array $looked = null, array $ini = []): array
    {
        return [
            'opcache' => [
                'opcache_enabled' => true,
            ] + ($statistics === null ? [] : ['preload_statistics' => $statistics]),
            'configuration' => ['directives' => ['opcache.preload' => $script]],
            'preload' => $looked,
            'ini' => $ini,
        ];
    }

    private function unseen(): FpmPools
    {
        $address = Address::parse('127.0.0.1:9');

        return new FpmPools(
            [new FpmPool(
                RunningMaster::unseen($address),
                (new Pool('away', []))->with(new Setting('listen', $address->text(), '--fpm')),
                new Pool('global', []),
                'it is known by its address alone',
                probe: $this->machine->runtime(self::runtime('/p', self::PRELOADED)),
            )],
            [],
            [],
        );
    }

    private function examined(string $id, FpmPools $pools): Diagnosis
    {
        return Examined::by($id, [
            FpmPools::class => static fn (): FpmPools => $pools,
            Applications::class => static fn (): Applications => new Applications($pools, null),
        ]);
    }
}
