<?php

declare(strict_types=1);

namespace Headroom\Doctor\Database\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Confidence;
use Headroom\Doctor\Database\ConnectionBudget;
use Headroom\Doctor\Database\DatabaseServer;
use Headroom\Doctor\Database\MoreConnections;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;

/**
 * @internal
 */
final readonly class ConnectionLimit implements Check
{
    private const FULL = 0.85;

    public function examine(Facts $facts): iterable
    {
        $server = $facts->get(DatabaseServer::class);
        $most = (float) $server->variable('max_connections');
        $counter = $server->isMysql() ? 'max_used_connections' : 'connections';
        $used = $server->counter($counter);
        $refused = $server->isMysql() ? $server->counter('connection_errors_max_connections') : 0.0;
        $budget = ConnectionBudget::of($facts, $server);
        $evidence = [
            $server->variableEvidence('max_connections'),
            $server->shown($counter),
            ...($server->isMysql() ? [$server->shown('connection_errors_max_connections')] : []),
            ...array_slice($budget->limits, 1),
            ...$budget->wanted,
        ];
        $given = $budget->most === (int) $most ? (string) $budget->most : "{$budget->most}, of {$most}";
        $message = match (true) {
            $refused > 0.0 => sprintf('Connections that the SQL server refused since it started: %d.', $refused),
            $used > self::FULL * $most => sprintf('%d of %d connections were in use at once.', $used, $most),
            ! $budget->isEnough() => "PHP processes and workers of this machine may open {$budget->sum} connections,"
                ." and the server gives them {$given}.",
            default => null,
        };
        $isFull = $refused > 0.0 || $used > self::FULL * $most;

        yield match (true) {
            $message !== null => ($isFull ? Finding::fail(...) : Finding::warn(...))(
                $message,
                $evidence,
                'Requests fail with "too many connections", first when most requests are served.',
                MoreConnections::fix($server, $budget, $isFull),
            )->withConfidence($isFull ? Confidence::Observed : Confidence::Configured),
            // Processes that are not known may be too many.
            $budget->unknown !== null => throw $budget->unknown,
            default => Finding::pass('the SQL server has enough connections', ...$evidence),
        };
    }
}
