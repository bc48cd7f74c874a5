<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Kernel\Sysctl;
use Headroom\Doctor\Redis\RedisServer;
use Headroom\Doctor\Redis\RedisServers;

/**
 * @internal
 */
final readonly class MemoryOvercommit implements Check
{
    public function examine(Facts $facts): iterable
    {
        $sysctl = $facts->get(Sysctl::class);

        return $facts->get(RedisServers::class)->each(static function (RedisServer $server) use ($sysctl): Finding {
            if (! $server->isHere()) {
                return Finding::skipped('it is on another machine');
            }

            if ($server->setting('save') === '' && $server->setting('appendonly') !== 'yes') {
                return Finding::skipped('it writes nothing to disk, so it does not fork');
            }

            $pages = $sysctl->transparentHugePages();
            $overcommit = $sysctl->integer('vm.overcommit_memory');
            $evidence = [
                new Evidence('transparent huge pages', $pages, '/sys/kernel/mm/transparent_hugepage/enabled'),
                new Evidence('vm.overcommit_memory', (string) $overcommit, Sysctl::path('vm.overcommit_memory')),
            ];

            if ($pages !== 'always' && $overcommit === 1) {
                return Finding::pass('it may fork', ...$evidence);
            }

            return Finding::warn(
                implode(
                    ', and ',
                    array_keys(
                        [
                            'transparent huge pages are always used' => $pages === 'always',
                            "vm.overcommit_memory is {$overcommit}" => $overcommit !== 1,
                        ],
                        true,
                        true,
                    ),
                )
                    .'.',
                $evidence,
                'Requests wait while Redis writes, or writes are refused.',
                new Fix(
                    'Set both, and have them set at each start of the machine.',
                    $overcommit === 1 ? [] : $sysctl->edits('vm.overcommit_memory', 1),
                    [
                        ...($overcommit === 1 ? [] : ['sudo sysctl -p '.Sysctl::FILE]),
                        ...($pages === 'always'
                            ? ['echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled']
                            : []),
                    ],
                    "sudo sysctl -w vm.overcommit_memory={$overcommit}; echo {$pages} | sudo tee"
                        .' /sys/kernel/mm/transparent_hugepage/enabled',
                ),
            );
        });
    }
}
