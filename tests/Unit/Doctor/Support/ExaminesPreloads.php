<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Support;

use Headroom\Doctor\Fpm\Config\PhpSetting;
use Headroom\Doctor\Fpm\Config\PoolSettings;
use Headroom\Doctor\Fpm\Config\RunningMaster;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Nginx\Fpm\ServedApplications;
use Headroom\Doctor\Report;
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
                (new PoolSettings('away', []))->with(new PhpSetting('listen', $address->text(), '--fpm')),
                new PoolSettings('global', []),
                'it is known by its address alone',
                probe: $this->machine->runtime(self::runtime('/p', self::PRELOADED)),
            )],
            [],
            [],
        );
    }

    private function examined(string $id, FpmPools $pools): Report
    {
        return Examined::by($id, [
            FpmPools::class => static fn (): FpmPools => $pools,
            ServedApplications::class => static fn (): ServedApplications => new ServedApplications($pools, null),
        ]);
    }
}
