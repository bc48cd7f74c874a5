<?php

declare(strict_types=1);

namespace Headroom\Doctor\Facts\Fpm;

use Closure;
use Headroom\Doctor\AbsentFact;
use Headroom\Doctor\Finding;
use Headroom\Doctor\UnknownFact;

/**
 * The pools of every PHP-FPM that runs on this machine.
 *
 * @internal
 */
final readonly class FpmPools
{
    /**
     * @param list<FpmPool> $pools
     * @param array<int, UnreadableConfig> $unread masters whose configuration could not be had, by pid
     * @param list<Misread> $misreads lines of a configuration without a value here
     */
    public function __construct(public array $pools, public array $unread, public array $misreads) {}

    /** Of two PHP-FPMs that have a pool of one name each is told with its file. */
    public function subject(FpmPool $pool): string
    {
        $alike = array_filter($this->pools, static fn (FpmPool $other): bool => $other->name() === $pool->name());

        return "pool {$pool->name()}".(count($alike) > 1 ? " of {$pool->master->configFile}" : '');
    }

    /** @return list<FpmPool> one of each PHP-FPM, for what is said once for all of its pools */
    public function ofEachMaster(): array
    {
        $first = [];

        foreach ($this->pools as $pool) {
            $first[$pool->master->key] ??= $pool;
        }

        return array_values($first);
    }

    /** The pool that scripts below this directory run in; where there is but one PHP-FPM, a pool of it in any case. */
    public function serving(string $directory): ?FpmPool
    {
        foreach ($this->pools as $pool) {
            if ($pool->serves($directory)) {
                return $pool;
            }
        }

        return count($this->ofEachMaster()) === 1 && $this->unread === [] ? $this->pools[0] : null;
    }

    /** @param string $address as nginx's fastcgi_pass spells it */
    public function listeningAt(string $address): ?FpmPool
    {
        foreach ($this->pools as $pool) {
            if ($pool->listensAt($address)) {
                return $pool;
            }
        }

        return null;
    }

    /**
     * @param Closure(FpmPool): Finding $examine
     * @return list<Finding>
     */
    public function each(Closure $examine): array
    {
        return $this->examined($this->pools, $examine, $this->subject(...));
    }

    /**
     * @param Closure(FpmPool): Finding $examine gets one pool of each, for what is said once for all of them
     * @return list<Finding>
     */
    public function eachMaster(Closure $examine): array
    {
        return $this->examined($this->ofEachMaster(), $examine, fn (FpmPool $pool): string => $pool->master->isSeen ? "PHP-FPM of {$pool->master->configFile}" : $this->subject($pool));
    }

    /**
     * @param list<FpmPool> $pools
     * @param Closure(FpmPool): Finding $examine
     * @param Closure(FpmPool): string $name
     * @return list<Finding>
     */
    private function examined(array $pools, Closure $examine, Closure $name): array
    {
        $findings = [];

        foreach ($pools as $pool) {
            try {
                $finding = $examine($pool);
            } catch (UnknownFact $e) {
                $finding = Finding::unknown($e->getMessage(), $e->command);
            } catch (AbsentFact $e) {
                $finding = Finding::skipped($e->getMessage());
            }

            $findings[] = $finding->about($name($pool));
        }

        foreach ($this->unread as $pid => $failure) {
            $findings[] = Finding::unknown($failure->getMessage(), $failure->command)->about("PHP-FPM {$pid}");
        }

        return $findings;
    }
}
