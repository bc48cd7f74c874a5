<?php

declare(strict_types=1);

namespace Headroom\Doctor\Database;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\PhpProcesses;
use Headroom\Doctor\NotApplicable;

/**
 * How many connections the processes of this machine may hold at once, and how many the SQL server gives them.
 *
 * @internal
 */
final readonly class ConnectionBudget
{
    /** For its administrator, and for the scheduler. */
    public const RESERVE = 5;

    /**
     * @param int $each connections that one process may hold
     * @param ?string $bound the limit of the account that leaves less than max_connections
     * @param list<Evidence> $limits what the server gives
     * @param list<Evidence> $wanted what the processes may take
     * @param ?FactUnavailable $unknown why the sum may be larger
     */
    private function __construct(
        public int $most,
        public int $sum,
        public int $each,
        public ?string $bound,
        public array $limits,
        public array $wanted,
        public bool $isPooled,
        public ?FactUnavailable $unknown,
    ) {}

    /** @throws FactUnavailable where the server does not tell its limit */
    public static function of(Facts $facts, DatabaseServer $server): self
    {
        [$most, $limits, $bound] = self::given($server);
        $php = PhpProcesses::of($facts);
        $connections = self::application($facts);
        $each = max(1, count($connections?->ofServer() ?? []));
        $sum = $each * $php->number;
        $wanted = $php->evidence;
        $wanted[] = new Evidence(
            'connections of a process',
            (string) $each,
            $each === 1
                ? 'the default connection'
                : 'connections to this server: '.implode(', ', $connections?->ofServer() ?? []),
        );
        $wanted[] = new Evidence('sum', (string) $sum, 'processes times connections of a process');
        $pooler = $connections?->pooler();

        return new self(
            $most,
            $sum,
            $each,
            $bound,
            $limits,
            $pooler === null ? $wanted : [...$wanted, $pooler],
            $pooler !== null,
            $php->unknown,
        );
    }

    /** Connections that are left for more processes. */
    public function room(): int
    {
        return $this->most - self::RESERVE - $this->sum;
    }

    /** So many more processes get a connection. */
    public function processes(): int
    {
        return $this->isPooled ? PHP_INT_MAX : max(0, intdiv($this->room(), $this->each));
    }

    public function isEnough(): bool
    {
        return $this->isPooled || $this->room() >= 0;
    }

    /** @return array{int, list<Evidence>, ?string} */
    private static function given(DatabaseServer $server): array
    {
        $most = (int) $server->variable('max_connections');
        $limits = [$server->variableEvidence('max_connections')];

        foreach (['superuser_reserved_connections', 'reserved_connections'] as $kept) {
            $number = $server->number($kept);

            if ($number !== null && $number > 0) {
                $most -= $number;
                $limits[] = $server->variableEvidence($kept);
            }
        }

        $bound = null;

        foreach (DatabaseProbe::LIMITS as $limit) {
            $number = $server->number($limit);

            // MySQL has 0 and PostgreSQL -1 for no limit.
            if ($number !== null && $number > 0) {
                $bound = $number < $most ? $limit : $bound;
                $most = min($most, $number);
                $limits[] = $server->variableEvidence($limit);
            }
        }

        return [$most, $limits, $bound];
    }

    private static function application(Facts $facts): ?DatabaseUsage
    {
        try {
            return new DatabaseUsage($facts->get(Application::class));
        } catch (NotApplicable|FactUnavailable) {
            return null;
        }
    }
}
