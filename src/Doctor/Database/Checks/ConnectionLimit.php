<?php

declare(strict_types=1);

namespace Headroom\Doctor\Database\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Database\ConnectionBudget;
use Headroom\Doctor\Database\DatabaseServer;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;

/**
 * @internal
 */
final readonly class ConnectionLimit implements Check
{
    private const FULL = 0.85;

    private const REFUSED = 'connection_errors_max_connections';

    public function examine(Facts $facts): iterable
    {
        $server = $facts->get(DatabaseServer::class);
        $most = (float) $server->variable('max_connections');
        $counter = $server->isMysql() ? 'max_used_connections' : 'connections';
        $used = $server->counter($counter);
        $refused = $server->isMysql() ? $server->counter(self::REFUSED) : 0.0;
        $isFull = $refused > 0.0 || $used > self::FULL * $most;
        $budget = ConnectionBudget::of($facts, $server);
        $given = $budget->most === (int) $most ? (string) $budget->most : "{$budget->most}, of {$most}";
        $evidence = [
            $server->variableEvidence('max_connections'),
            $server->shown($counter),
            $server->isMysql() ? $server->shown(self::REFUSED) : null,
            ...array_slice($budget->limits, 1),
            ...$budget->wanted,
        ];
        $message = match (true) {
            $refused > 0.0 => sprintf('Connections that the SQL server refused since it started: %d.', $refused),
            $isFull => sprintf('%d of %d connections were in use at once.', $used, $most),
            ! $budget->isEnough() => "PHP processes and workers of this machine may open {$budget->sum} connections,"
                ." and the server gives them {$given}.",
            // Processes that are not known may be too many.
            default => $budget->unknown === null ? null : throw $budget->unknown,
        };

        yield match (true) {
            $message === null => Finding::pass('the SQL server has enough connections', ...$evidence),
            $isFull => Finding::fail($message, $evidence, $budget->raised($server, true))->observed(),
            default => Finding::warn($message, $evidence, $budget->raised($server, false)),
        };
    }
}
