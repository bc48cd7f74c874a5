<?php

declare(strict_types=1);

namespace Headroom\Spool\Health;

use Headroom\Core\Finding;
use Headroom\Core\HeadroomException;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Spool\SpoolConfig;
use Headroom\Support\PhpRestrictions;
use Headroom\Support\UnableToCall;

/**
 * Runs all health checks of the buffer.
 *
 * @internal
 */
final readonly class Health
{
    public function __construct(private SpoolServices $spool) {}

    /** @return list<Finding> */
    public function findings(): array
    {
        return PhpRestrictions::within($this->run(...));
    }

    /**
     * Checks only the directories and files.
     *
     * @return list<Finding>
     */
    public function store(): array
    {
        return (new DirectoryIsUnusable(
            $this->spool->store(),
            $this->spool->config()->allowNetworkFilesystem(),
        ))->findings();
    }

    /** @return list<Finding> */
    private function run(): array
    {
        try {
            $config = $this->spool->config();
        } catch (HeadroomException $e) {
            return [new Finding(
                'configuration',
                $e->getMessage(),
                'Correct the setting (in Laravel, then run `config:clear`).',
            )];
        }

        $store = [];

        try {
            $store = PhpRestrictions::within($this->store(...));
            $findings = [...(new FunctionsAreDisabled($config))->findings(), ...$store];
        } catch (UnableToCall $e) {
            $findings = [
                ...(new FunctionsAreDisabled($config))->findings(),
                FunctionsAreDisabled::missing($e->function),
            ];
        }

        usort($findings, static fn (Finding $a, Finding $b): int => $b->fatal <=> $a->fatal);
        $isUsable = array_filter($store, static fn (Finding $finding): bool => $finding->fatal) === [];

        foreach ($isUsable ? $this->checks($config) : [] as $check) {
            $findings = [...$findings, ...self::runOne($check)];
        }

        return self::unique($findings);
    }

    /** @return iterable<HealthCheck> */
    private function checks(SpoolConfig $config): iterable
    {
        foreach ($config->names() as $name) {
            yield new SinkIsNotReady($this->spool, $name);
            yield new DurabilityIsNotKept($this->spool, $name);
        }

        yield new RedisIsUnsafe($this->spool);
        yield new BufferIsOff($config);
        yield new BucketIsUndeclared($this->spool);
        yield new EventsAreLeftInRedis($this->spool);
        yield new BucketIsPaused($this->spool);
        yield new StateIsUnreadable($this->spool);
        yield new EventsAreNotDelivered($this->spool);
        yield new AppendsAreRefused($this->spool);
        yield new BufferIsInRelease($config->path);
        yield new NodesAreSilent($this->spool);
    }

    /**
     * A function that the host has disabled ends one check and not the others.
     *
     * @return list<Finding>
     */
    private static function runOne(HealthCheck $check): array
    {
        try {
            return PhpRestrictions::within($check->findings(...));
        } catch (UnableToCall $e) {
            return [FunctionsAreDisabled::missing($e->function)];
        }
    }

    /**
     * @param list<Finding> $findings
     * @return list<Finding> without repetitions
     */
    private static function unique(array $findings): array
    {
        $found = [];

        foreach ($findings as $finding) {
            $found["{$finding->subject}\0{$finding->message}"] ??= $finding;
        }

        return array_values($found);
    }
}
