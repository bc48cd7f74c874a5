<?php

declare(strict_types=1);

namespace Headroom\Doctor\Database;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\PhpProcesses;
use Headroom\Doctor\NotApplicable;

/**
 * The connections that the processes of this machine may hold at once, and the limit of the SQL server.
 *
 * @internal
 */
final readonly class ConnectionBudget
{
    /** Reserved for an administrator and the scheduler. */
    public const RESERVE = 5;

    /**
     * @param int $each connections that one process may hold
     * @param ?string $bound the limit of the account, if it is below max_connections
     * @param list<Evidence> $limits of the server
     * @param list<Evidence> $wanted by the processes
     * @param ?FactUnavailable $unknown the reason why the sum may be larger
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

    /** The number of further processes that can get a connection. */
    public function processes(): int
    {
        return $this->isPooled ? PHP_INT_MAX : max(0, intdiv($this->room(), $this->each));
    }

    public function isEnough(): bool
    {
        return $this->isPooled || $this->room() >= 0;
    }

    /**
     * The fix that makes room for all processes.
     *
     * @param bool $isServerFull otherwise the limit of the account may be the lowest
     *
     * @throws FactUnavailable
     */
    public function raised(DatabaseServer $server, bool $isServerFull): Fix
    {
        // More connections of the server do not help an account with a limit of its own.
        if ($this->bound !== null && ! $isServerFull) {
            return self::raisedForAccount($this->bound, $this->sum + 2 * self::RESERVE);
        }

        $most = (int) $server->variable('max_connections');
        $more = max(2 * $most, $this->sum + 2 * self::RESERVE + $most - $this->most);

        return $server->isMysql()
            ? $server->fix('max_connections', $more, "mysql -e \"show global status like 'Max_used_connections'\"")
            : $server->systemFix('max_connections', (string) $more, 'select count(*) from pg_stat_activity');
    }

    private static function raisedForAccount(string $limit, int $more): Fix
    {
        $how = match ($limit) {
            'rolconnlimit' => "alter role ... connection limit {$more}",
            'datconnlimit' => "alter database ... connection limit {$more}",
            default => "alter user ... with max_user_connections {$more}, or set global max_user_connections = {$more}"
                .' if all accounts have it',
        };

        return new Fix(
            "Raise {$limit}, the limit of the application's account: {$how}. max_connections must be above it. Or lower"
                .' pm.max_children.',
            rollback: 'Set the limit as it was.',
        );
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

            // 0 in MySQL and -1 in PostgreSQL mean no limit.
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
