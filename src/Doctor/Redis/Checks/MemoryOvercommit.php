<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Kernel\Sysctl;
use Headroom\Doctor\Redis\RedisCheck;
use Headroom\Doctor\Redis\RedisServer;

/**
 * @internal
 */
final readonly class MemoryOvercommit implements RedisCheck
{
    private const SETTING = 'vm.overcommit_memory';

    private const PAGES = '/sys/kernel/mm/transparent_hugepage/enabled';

    public function examine(RedisServer $server, Facts $facts): Finding
    {
        $sysctl = $facts->get(Sysctl::class);

        if (! $server->isHere()) {
            return Finding::skipped('this server is on another machine');
        }

        if ($server->setting('save') === '' && $server->setting('appendonly') !== 'yes') {
            return Finding::skipped('this server writes nothing to disk, so it does not fork');
        }

        $pages = $sysctl->transparentHugePages();
        // From 6.2 on, Redis disables them for its own process.
        $usesPages = $pages === 'always' && $server->optionalSetting('disable-thp') !== 'yes';
        $overcommit = $sysctl->integer(self::SETTING);
        $evidence = [
            new Evidence('transparent huge pages', $pages, self::PAGES),
            $server->settingEvidence('disable-thp'),
            $sysctl->evidence(self::SETTING),
        ];
        $found = array_keys([
            'transparent huge pages are always used' => $usesPages,
            self::SETTING." is {$overcommit}" => $overcommit !== 1,
        ], true, true);
        $undo = array_filter([
            $overcommit === 1 ? '' : Sysctl::restored([self::SETTING => $overcommit]),
            $usesPages ? "echo {$pages} | sudo tee ".self::PAGES : '',
        ], static fn (string $command): bool => $command !== '');

        return $found === [] ? Finding::pass('this server can fork', ...$evidence) : Finding::warn(
            ucfirst(implode(', and ', $found)).'.',
            $evidence,
            new Fix(
                changes: $overcommit === 1 ? [] : $sysctl->edits(self::SETTING, 1),
                commands: [$usesPages ? 'echo madvise | sudo tee '.self::PAGES : ''],
                rollback: implode('; ', $undo),
            ),
        );
    }
}
