<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\Config\FpmConfigProbe;
use Headroom\Doctor\Fpm\Config\FpmParseIssue;
use Headroom\Doctor\Fpm\Config\PhpSetting;
use Headroom\Doctor\Fpm\Config\PoolSettings;
use Headroom\Doctor\Fpm\Config\RunningMaster;
use Headroom\Doctor\Fpm\Config\UnreadableConfig;
use Headroom\Doctor\Fpm\Status\StatusPage;
use Headroom\Doctor\NotApplicable;
use Headroom\Host\Fpm\Address;
use Headroom\Host\Fpm\UnableToQueryPool;

/**
 * Finds every running PHP-FPM and reads its configuration.
 *
 * @internal
 */
final readonly class FpmProbe
{
    public function __construct(
        private FpmConfigProbe $configs = new FpmConfigProbe,
        private StatusPage $page = new StatusPage,
    ) {}

    /**
     * @param ?list<RunningMaster> $masters the running ones by default
     *
     * @throws NotApplicable
     */
    public function facts(?array $masters = null): FpmPools
    {
        $masters ??= RunningMaster::all();
        $pools = [];
        $unread = [];
        $misreads = [];

        foreach ($masters as $master) {
            try {
                $config = $this->configs->of($master, $why);
            } catch (FactUnavailable $e) {
                $unread[$master->pid] = $e;

                continue;
            }

            if ($master->isElsewhere) {
                // Its addresses belong to another machine, so no address of nginx can be matched with its pools.
                $unread[$master->pid] = UnreadableConfig::elsewhere($master->pid, $master->configFile);
            }

            array_push($misreads, ...$config->misreads);
            $isWhole = array_filter($config->misreads, static fn (FpmParseIssue $misread): bool => $misread->isLost)
                === [];
            array_push($pools, ...array_map(
                static fn (PoolSettings $pool): FpmPool => new FpmPool(
                    $master,
                    $pool,
                    $config->global,
                    $why,
                    isWhole: $isWhole,
                ),
                array_values($config->pools),
            ));
        }

        return $masters === []
            ? throw NotApplicable::of('no PHP-FPM runs here')
            : new FpmPools($pools, $unread, $misreads);
    }

    /**
     * Only the pools at these addresses. Of a pool in a container or on another machine, only its responses are known.
     *
     * @param non-empty-list<Address> $addresses
     * @param ?list<RunningMaster> $masters the running ones by default
     */
    public function at(array $addresses, ?array $masters = null): FpmPools
    {
        try {
            $seen = $this->facts($masters);
        } catch (NotApplicable) {
            $seen = null;
        }

        return new FpmPools(
            array_map(
                fn (Address $address): FpmPool => $seen?->at($address->text()) ?? $this->unseen($address),
                $addresses,
            ),
            [],
            [],
        );
    }

    private function unseen(Address $address): FpmPool
    {
        $pool = (new PoolSettings($address->text(), []))->with(new PhpSetting('listen', $address->text(), '--fpm'));

        try {
            $path = $this->page->find($address);
        } catch (UnableToQueryPool) {
            // A later request for its status then has the reason.
            $path = null;
        }

        $pool = $path === null
            ? $pool
            : $pool->with(new PhpSetting('pm.status_path', $path, "{$address->text()} answers it"));

        return new FpmPool(
            RunningMaster::unseen($address),
            $pool,
            new PoolSettings('global', []),
            'only its address is known',
        );
    }
}
