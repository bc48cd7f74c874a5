<?php

declare(strict_types=1);

namespace Headroom\Console\Load;

use Symfony\Component\Console\Input\InputDefinition;

/**
 * Suggests an option of `load` for one that it does not have: the name in curl, ab, wrk, wrk2, hey, oha, k6, vegeta,
 * autocannon, bombardier, siege or an earlier version of `load`.
 *
 * @internal
 */
final readonly class UnknownOption
{
    private const SYMFONY = '/\AThe "-{1,2}([^"]+)" option does not exist\.\z/';

    private const LIKE = 0.34;

    private const OURS = [
        '--requests (-n)' => ['samples', 'iterations', 'i', 'amount', 'a', 'number', 'count', 'n', 'reps'],
        '--concurrency (-c)' => ['connections', 'vus', 'u', 'users', 'clients', 'concurrent'],
        '--duration (-d)' => ['z', 'time', 'timelimit', 'run-time', 'seconds'],
        '--processes for threads, or --timeout' => ['t'],
        '--processes' => ['threads', 'workers', 'w', 'cpus'],
        '--rate' => ['R', 'rps', 'qps', 'throughput', 'overallRate', 'arrival-rate'],
        '--stage' => ['ramp', 'stages', 'ramp-up', 'rampup', 'spawn-rate'],
        '--pause' => ['wait', 'sleep', 'delay', 'think', 'think-time'],
        '--method (-m)' => ['X', 'request'],
        '--header (-H)' => ['headers', 'A', 'C', 'cookie', 'b', 'user-agent', 'host'],
        "--header 'Content-Type: ...'" => ['T', 'content-type'],
        '--body' => ['data', 'data-raw', 'data-binary', 'payload'],
        '--body-file' => ['D', 'p', 'P', 'post-file', 'body-path', 'upload-file'],
        '--insecure; keep-alive needs no option' => ['k'],
        '--insecure' => ['insecure-skip-tls-verify', 'no-check-certificate', 'skip-verify'],
        '--scenario' => ['s', 'script', 'f', 'file'],
        '--output' => ['o', 'out', 'summary-export', 'report', 'html', 'csv', 'save'],
        '--threshold' => ['fail-if', 'fail-on', 'max-error-rate', 'max-p95', 'slo', 'assert', 'bail'],
        '--error-status' => ['fail-from', 'fail-status', 'errors', 'error-codes', 'status-codes'],
        '--expect-status' => ['expect', 'expected-status', 'expect-code', 'success-status'],
        '--allow-remote' => ['i-own-this-host', 'remote', 'force', 'yes', 'allow'],
        'the argument of the command' => ['url', 'target', 'targets'],
    ];

    private const NOT_HERE = [
        'Percentiles are always printed' => ['latency', 'latencies', 'l', 'percentiles', 'statistics'],
        'Redirects are not followed: use the address of the target' => [
            'L', 'r', 'location', 'redirect', 'redirects', 'no-redirect', 'follow', 'max-redirects',
            'disable-redirects',
        ],
        'Requests are HTTP/1.1 and go to the host of the URL' => ['x', 'proxy', 'http2', 'http3', 'h2', 'http-version'],
    ];

    /** @param string $message of Symfony about the unknown option */
    public static function explain(string $message, InputDefinition $known): string
    {
        return preg_match(self::SYMFONY, $message, $m) === 1
            ? rtrim("{$message} ".self::advice($m[1], $known))
            : $message;
    }

    private static function advice(string $name, InputDefinition $known): string
    {
        foreach (self::OURS as $ours => $theirs) {
            if (self::isOne($name, $theirs)) {
                return "Use {$ours}.";
            }
        }

        foreach (self::NOT_HERE as $reason => $theirs) {
            if (self::isOne($name, $theirs)) {
                return "{$reason}.";
            }
        }

        $like = self::like($name, array_keys($known->getOptions()));

        return $like === null ? '--help lists the options.' : "Did you mean --{$like}?";
    }

    /** @param list<string> $names */
    private static function isOne(string $name, array $names): bool
    {
        return in_array($name, $names, true)
            || (strlen($name) > 2 && array_intersect(["{$name}s", rtrim($name, 's')], $names) !== []);
    }

    /** @param list<string> $names */
    private static function like(string $name, array $names): ?string
    {
        $best = null;
        $least = self::LIKE;

        foreach (strlen($name) < 3 ? [] : $names as $known) {
            $isPart = str_starts_with($known, $name) || str_starts_with($name, $known);
            $distance = $isPart ? 0.0 : levenshtein($name, $known) / max(strlen($name), strlen($known));

            if ($distance < $least) {
                [$best, $least] = [$known, $distance];
            }
        }

        return $best;
    }
}
