<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Fpm;

use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;

/**
 * @internal
 */
final readonly class NoTerminateTimeout implements Check
{
    public function rule(): Rule
    {
        return new Rule(
            'F9',
            'A request that hangs holds its process for ever',
            Severity::High,
            Layer::Fpm,
            'max_execution_time counts CPU time on Linux: a process that waits for a socket that never answers is not'
                .' ended by it. Only request_terminate_timeout ends it, and it is off by default.'
                .' Each hung process is one fewer, until none is left.',
            'request_terminate_timeout is 0.',
            [
                'https://www.php.net/manual/en/install.fpm.configuration.php',
                'https://www.php.net/manual/en/function.set-time-limit.php',
            ],
        );
    }

    public function examine(Facts $facts): array
    {
        return $facts->get(FpmPools::class)->each(static function (FpmPool $pool) use ($facts): Finding {
            if ($pool->seconds('request_terminate_timeout') > 0) {
                return Finding::pass('a request that hangs is ended', $pool->evidence('request_terminate_timeout'));
            }

            $end = RequestTimeouts::of($facts, $pool);
            $patience = $end->patience;

            return Finding::warn(
                'It ends no request, however long it takes.',
                [$pool->evidence('request_terminate_timeout')],
                'What waits for a server that does not answer is lost to the pool until PHP-FPM is restarted.',
                new Fix(
                    sprintf(
                        'End it just before nginx gives it up, after %s seconds%s. Longer work belongs into a queue.',
                        $patience / 1000,
                        $patience === RequestTimeouts::DEFAULT_MILLISECONDS ? ', the default' : '',
                    ),
                    $end->edits(),
                    [$pool->reload()],
                    'Take the line back and reload PHP-FPM.',
                    'headroom doctor --only=F9',
                ),
            );
        });
    }
}
