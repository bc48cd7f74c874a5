<?php

declare(strict_types=1);

namespace Headroom\Doctor\Runner;

use Closure;
use Headroom\Doctor\Check;
use Headroom\Doctor\CheckResult;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Fpm\PoolCheck;
use Headroom\Doctor\Nginx\NginxCheck;
use Headroom\Doctor\Nginx\NginxServers;
use Headroom\Doctor\NotApplicable;
use Headroom\Doctor\Redis\RedisCheck;
use Headroom\Doctor\Redis\RedisServer;
use Headroom\Doctor\Redis\RedisServers;
use Headroom\Doctor\Report;
use Headroom\Doctor\UnableToReadCheckText;
use Throwable;

/**
 * Runs the checks: a PoolCheck for each pool, an NginxCheck for each nginx, a RedisCheck for each Redis server. A check
 * that throws is reported as crashed and stops no other check.
 *
 * @internal
 */
final readonly class CheckRunner
{
    private const NOTHING = 'the subject of this check does not exist here';

    public function __construct(
        private CheckList $checks,
        private ?CommandNames $commands = null,
    ) {}

    /** @throws UnableToReadCheckText */
    public function run(Facts $facts): Report
    {
        $results = [];
        $commands = $this->commands ?? new CommandNames;

        foreach ($this->checks->ids() as $id) {
            $text = $this->checks->text($id);

            foreach ($this->findings($id, $facts) as $finding) {
                $results[] = new CheckResult(
                    $text,
                    $finding->withUserCommands($text, $commands->verifying($id), $commands->in(...)),
                );
            }
        }

        return new Report($results);
    }

    /** @return list<Finding> */
    private function findings(string $id, Facts $facts): array
    {
        try {
            $check = $this->checks->check($id);
        } catch (Throwable $e) {
            return [self::crashed($e)];
        }

        return match (true) {
            $check instanceof PoolCheck => self::examined(
                $facts,
                static fn (Facts $traced): array => $traced->get(FpmPools::class)
                    ->each(static fn (FpmPool $pool): Finding => $check->examine($pool, $traced)),
            ),
            $check instanceof NginxCheck => self::ofEachNginx($check, $facts),
            $check instanceof RedisCheck => self::examined(
                $facts,
                static fn (Facts $traced): array => $traced->get(RedisServers::class)
                    ->each(static fn (RedisServer $server): Finding => $check->examine($server, $traced)),
            ),
            $check instanceof Check => self::examined(
                $facts,
                static fn (Facts $traced): iterable => $check->examine($traced),
            ),
        };
    }

    /** @return list<Finding> */
    private static function ofEachNginx(NginxCheck $check, Facts $facts): array
    {
        $all = null;
        $found = self::examined($facts, static function (Facts $traced) use (&$all): array {
            $all = $traced->get(NginxServers::class);

            return [];
        });

        if (! $all instanceof NginxServers) {
            return $found;
        }

        $findings = [];

        foreach ($all->known as $server) {
            foreach (self::examined(
                $facts,
                static fn (Facts $traced): iterable => $check->examine($server, $traced),
            ) as $finding) {
                $findings[] = $all->areSeveral()
                    ? $finding->about(($finding->subject === '' ? '' : "{$finding->subject}, ").$all->name($server))
                    : $finding;
            }
        }

        foreach ($all->unknown as $pid => $why) {
            $finding = Finding::unavailable($why);
            $findings[] = $all->areSeveral() ? $finding->about("nginx with pid {$pid}") : $finding;
        }

        return $findings;
    }

    /**
     * @param Closure(Facts): iterable<Finding> $examine
     * @return list<Finding> a pass becomes unknown if a fact that it needed could not be read
     */
    private static function examined(Facts $facts, Closure $examine): array
    {
        $traced = $facts->traced();

        try {
            $findings = array_values([...$examine($traced)]);
            $findings = $findings === [] ? [Finding::skipped(self::NOTHING)] : $findings;
        } catch (FactUnavailable $e) {
            $findings = [Finding::unavailable($e)];
        } catch (NotApplicable $e) {
            $findings = [Finding::skipped($e->getMessage())];
        } catch (Throwable $e) {
            $findings = [self::crashed($e)];
        }

        return (new UnknownFacts($traced->unread()))->appliedTo($findings);
    }

    private static function crashed(Throwable $e): Finding
    {
        return Finding::crashed(sprintf('%s: %s (%s:%d)', $e::class, $e->getMessage(), $e->getFile(), $e->getLine()));
    }
}
