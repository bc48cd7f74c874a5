<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\Config\PoolEdit;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;

/**
 * @internal
 */
final readonly class StatusUnreachable implements Check
{
    public function rule(): Rule
    {
        return new Rule(
            'F7',
            'The status page of the pool is not there, or not when it is needed',
            Severity::Medium,
            Layer::Fpm,
            'The status page says what each process does. It is answered by a process of the pool:'
                .' when all of them are busy, nobody answers, and that is when one wants to look.'
                .' pm.status_listen gives it a socket and a process of its own.',
            'pm.status_path is not set, or it is and pm.status_listen is not.',
            [
                'https://www.php.net/manual/en/fpm.status.php',
                'https://www.php.net/manual/en/install.fpm.configuration.php',
            ],
        );
    }

    public function examine(Facts $facts): array
    {
        return $facts->get(FpmPools::class)->each(static function (FpmPool $pool): Finding {
            $path = $pool->text('pm.status_path');
            $evidence = [$pool->evidence('pm.status_path'), $pool->evidence('pm.status_listen')];

            if ($path !== null && $pool->text('pm.status_listen') !== null) {
                return Finding::pass('it answers when the pool is full as well', ...$evidence);
            }

            $edits = [
                ...($path === null ? [PoolEdit::to($pool->settings, 'pm.status_path', '/fpm-status')] : []),
                PoolEdit::to($pool->settings, 'pm.status_listen', "/run/php-fpm-{$pool->name()}-status.sock"),
            ];

            return Finding::warn(
                $path === null ? 'It has no status page.' : 'Its status page is answered by the pool itself.',
                $evidence,
                'What the processes do while all are busy can not be seen.',
                new Fix(
                    'Give the page a socket of its own.',
                    $edits,
                    [$pool->reload()],
                    'Take the lines back and reload PHP-FPM.',
                    'headroom doctor --only=F7',
                ),
            );
        });
    }
}
