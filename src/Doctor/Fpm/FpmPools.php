<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm;

use Closure;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fpm\Config\FpmParseIssue;
use Headroom\Doctor\Fpm\Config\RunningMaster;
use Headroom\Doctor\NotApplicable;
use Headroom\Doctor\PartialFact;
use Headroom\Host\Fpm\Address;
use Headroom\Host\Fpm\UnableToQueryPool;

/**
 * The pools of every PHP-FPM that runs on this machine.
 *
 * @internal
 */
final readonly class FpmPools implements PartialFact
{
    /**
     * @param list<FpmPool> $pools
     * @param array<int, FactUnavailable> $unread masters with an unreadable configuration, by pid
     * @param list<FpmParseIssue> $misreads lines of a configuration without a value here
     */
    public function __construct(public array $pools, public array $unread, public array $misreads) {}

    public function unread(): array
    {
        $unread = [];

        foreach ($this->unread as $pid => $failure) {
            $unread["PHP-FPM {$pid}"] = FactUnavailable::because($failure->getMessage(), $failure->command);
        }

        foreach ($this->misreads as $misread) {
            if ($misread->isLost) {
                $unread["{$misread->file}:{$misread->line}"] = FactUnavailable::because(
                    "A part of PHP-FPM's configuration is not known: {$misread->text()}.",
                    'sudo cat '.escapeshellarg(
                        preg_match('~\A/[^*?\[]+\z~', $misread->token) === 1 ? $misread->token : $misread->file,
                    ),
                );
            }
        }

        return $unread;
    }

    /** Pools of one name in two PHP-FPMs are named with their file. */
    public function subject(FpmPool $pool): string
    {
        $alike = array_filter($this->pools, static fn (FpmPool $other): bool => $other->name() === $pool->name());

        return "pool {$pool->name()}".(count($alike) > 1 ? " of {$pool->master->configFile}" : '');
    }

    /** @return list<FpmPool> of this PHP-FPM */
    public function of(RunningMaster $master): array
    {
        return array_values(array_filter(
            $this->pools,
            static fn (FpmPool $pool): bool => $pool->master->key === $master->key,
        ));
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

    /**
     * The pool that runs scripts below this directory, or any pool if there is only one PHP-FPM.
     *
     * @return ?FpmPool null if none does
     *
     * @throws FactUnavailable if an unreadable one may
     */
    public function serving(string $directory): ?FpmPool
    {
        $unread = array_values($this->unread())[0] ?? null;

        foreach ($this->pools as $pool) {
            try {
                if ($pool->serves($directory)) {
                    return $pool;
                }
            } catch (FactUnavailable $e) {
                $unread ??= $e;
            }
        }

        if (count($this->ofEachMaster()) === 1 && $this->unread() === []) {
            return $this->pools[0];
        }

        return $unread === null ? null : throw FactUnavailable::because(
            "Which PHP-FPM serves {$directory} is not known: {$unread->getMessage()}",
            $unread->command,
        );
    }

    /** @param string $address in the format of fastcgi_pass */
    public function at(string $address): ?FpmPool
    {
        foreach ($this->pools as $pool) {
            if ($pool->listensAt($address)) {
                return $pool;
            }
        }

        return null;
    }

    /**
     * @param string $address in the format of fastcgi_pass
     * @return ?FpmPool null if no PHP-FPM of this machine listens there
     *
     * @throws FactUnavailable if one may
     */
    public function listeningAt(string $address): ?FpmPool
    {
        return $this->at($address) ?? $this->none($address);
    }

    /**
     * @param string $address in the format of fastcgi_pass
     * @param Closure(FpmPool): Finding $examine
     * @return list<Finding> of the pool there; unknown if the pool cannot be determined
     */
    public function behind(string $address, Closure $examine): array
    {
        try {
            $pool = $this->listeningAt($address);
        } catch (FactUnavailable $e) {
            return [Finding::unavailable($e)->about($address)];
        }

        return $pool === null ? [] : $this->examined([$pool], $examine, $this->subject(...));
    }

    /**
     * @param Closure(FpmPool): Finding $examine
     * @return list<Finding>
     */
    public function each(Closure $examine): array
    {
        return [...$this->examined($this->pools, $examine, $this->subject(...)), ...$this->unknown()];
    }

    /**
     * @param Closure(FpmPool): Finding $examine gets one pool of each master, for findings about the master
     * @return list<Finding>
     */
    public function eachMaster(Closure $examine): array
    {
        $name = fn (FpmPool $pool): string => $pool->master->isSeen
            ? "PHP-FPM of {$pool->master->configFile}"
            : $this->subject($pool);

        return [...$this->examined($this->ofEachMaster(), $examine, $name), ...$this->unknown()];
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
            } catch (FactUnavailable $e) {
                $finding = Finding::unavailable($e);
            } catch (NotApplicable $e) {
                $finding = Finding::skipped($e->getMessage());
            }

            $finding = $finding->about($name($pool));
            $findings[] = $pool->isWhole ? $finding->aboutPartOf(self::class) : $finding;
        }

        return $findings;
    }

    /** @return list<Finding> of what could not be read */
    private function unknown(): array
    {
        $findings = [];

        foreach ($this->unread() as $part => $why) {
            $findings[] = Finding::unavailable($why)->about($part);
        }

        return $findings;
    }

    /** @throws FactUnavailable where a pool may listen there that is not seen, or is seen under another name */
    private function none(string $address): null
    {
        if (str_contains($address, '$')) {
            throw FactUnavailable::because(
                "Which pool nginx means by {$address}, only a request tells.",
                'sudo nginx -T | grep -e fastcgi_pass -e set -e map',
            );
        }

        try {
            $wanted = Address::parse($address);
            $own = array_map(static fn (FpmPool $pool): Address => $pool->address(), $this->pools);
        } catch (UnableToQueryPool $e) {
            throw FactUnavailable::because(
                "Which pool nginx means by {$address} cannot be told: {$e->getMessage()}",
                $e->command,
            );
        }

        $command = 'sudo headroom doctor --fpm='.escapeshellarg($wanted->text());

        if ($this->unread() !== []) {
            throw FactUnavailable::because(
                "No pool that could be read listens at {$address}: ".array_values($this->unread())[0]->getMessage(),
                $command,
            );
        }

        if (ListeningAddresses::at($wanted) !== false) {
            $this->mustListen($address);
        }

        // A host can have several names, so a pool with the port may be the one.
        $isAlike = $wanted->port !== null && array_filter(
            $own,
            static fn (Address $one): bool => $one->port === $wanted->port,
        ) !== [];

        return $wanted->isUnix() || ($wanted->isLoopback() && ! $isAlike)
            ? null
            : throw FactUnavailable::because(
                "No configuration of a pool of this machine listens at {$address}.",
                $command,
            );
    }

    /**
     * A PHP-FPM that listens elsewhere than configured may listen there.
     *
     * @throws FactUnavailable
     */
    private function mustListen(string $wanted): void
    {
        foreach ($this->pools as $pool) {
            $address = $pool->address();

            if ($pool->master->isSeen && ListeningAddresses::at($address) !== true) {
                throw FactUnavailable::because(
                    "No visible process listens at {$address->text()}, the address of the pool {$pool->name()}:"
                        .' php-fpm was started with -p, or not reloaded since a change.'
                        ." It may be the pool at {$wanted}.",
                    "sudo ss -lnp | grep -e pid={$pool->master->pid}, -e php-fpm",
                );
            }
        }
    }
}
