<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\Config\PoolEdit;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;

/**
 * @internal
 */
final readonly class ReloadKillsRequests implements Check
{
    public function examine(Facts $facts): iterable
    {
        $findings = [];
        $pools = $facts->get(FpmPools::class);
        $masters = $pools->ofEachMaster();

        foreach ($masters as $pool) {
            try {
                $finding = $this->finding($pool);
            } catch (FactUnavailable $e) {
                $finding = Finding::unknown($e->getMessage(), $e->command);
            }

            $findings[] = $finding->about(match (true) {
                count($masters) === 1 && $pools->unread() === [] => '',
                $pool->master->isSeen => $pool->master->configFile,
                default => $pool->master->key,
            })->oneOf(FpmPools::class);
        }

        return $findings;
    }

    /** @throws FactUnavailable */
    private function finding(FpmPool $pool): Finding
    {
        $said = $pool->global->setting('process_control_timeout')
            ?? throw FactUnavailable::because('PHP-FPM does not say process_control_timeout.', $pool->dump());
        $evidence = new Evidence('process_control_timeout', $said->value, $said->origin);
        $edit = PoolEdit::to($pool->global, 'process_control_timeout', '20s');

        $seconds = $said->seconds() ?? throw FactUnavailable::because(
            "process_control_timeout is '{$said->value}', which is no time.",
            $pool->dump(),
        );

        return $seconds > 0 ? Finding::pass('it waits for requests under way', $evidence) : Finding::warn(
            'A reload does not wait for requests under way.',
            [$evidence],
            'Each deploy ends some requests with 502.',
            new Fix(
                'Wait for them: process_control_timeout = 20s in the section [global].',
                [$edit],
                [$pool->reload()],
                'Take the line back and reload PHP-FPM.',
            ),
        );
    }
}
