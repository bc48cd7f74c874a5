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
use Headroom\Doctor\Nginx\NginxServers;
use Headroom\Doctor\Nginx\ServerCheck;
use Headroom\Doctor\NotApplicable;
use Headroom\Doctor\Redis\RedisCheck;
use Headroom\Doctor\Redis\RedisServer;
use Headroom\Doctor\Redis\RedisServers;
use Headroom\Doctor\Report;
use Headroom\Doctor\UnableToReadCheckText;
use Throwable;

/**
 * Runs the checks: a check of a pool for each pool, a check of nginx for each nginx. A check that fails is reported and
 * stops no other check.
 *
 * @internal
 */
final readonly class CheckRunner
{
    private const NOTHING = 'its subject does not exist here';

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
                $results[] = new CheckResult($text, $finding->typed($commands->verifying($id), $commands->in(...)));
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
            $check instanceof PoolCheck => self::judged(
                $facts,
                static fn (Facts $watched): array => $watched->get(FpmPools::class)
                    ->each(static fn (FpmPool $pool): Finding => $check->examine($pool, $watched)),
            ),
            $check instanceof ServerCheck => self::ofEachServer($check, $facts),
            $check instanceof RedisCheck => self::judged(
                $facts,
                static fn (Facts $watched): array => $watched->get(RedisServers::class)
                    ->each(static fn (RedisServer $server): Finding => $check->examine($server, $watched)),
            ),
            $check instanceof Check => self::judged(
                $facts,
                static fn (Facts $watched): iterable => $check->examine($watched),
            ),
        };
    }

    /** @return list<Finding> */
    private static function ofEachServer(ServerCheck $check, Facts $facts): array
    {
        $all = null;
        $found = self::judged($facts, static function (Facts $watched) use (&$all): array {
            $all = $watched->get(NginxServers::class);

            return [];
        });

        if (! $all instanceof NginxServers) {
            return $found;
        }

        $findings = [];

        foreach ($all->known as $server) {
            foreach (self::judged(
                $facts,
                static fn (Facts $watched): iterable => $check->examine($server, $watched),
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
     * @return list<Finding> in which nothing passes that the check could not see
     */
    private static function judged(Facts $facts, Closure $examine): array
    {
        $watched = $facts->afresh();

        try {
            $findings = array_values([...$examine($watched)]);
            $findings = $findings === [] ? [Finding::skipped(self::NOTHING)] : $findings;
        } catch (FactUnavailable $e) {
            $findings = [Finding::unavailable($e)];
        } catch (NotApplicable $e) {
            $findings = [Finding::skipped($e->getMessage())];
        } catch (Throwable $e) {
            $findings = [self::crashed($e)];
        }

        return (new UnknownParts($watched->unread()))->in($findings);
    }

    private static function crashed(Throwable $e): Finding
    {
        return Finding::crashed(sprintf('%s: %s (%s:%d)', $e::class, $e->getMessage(), $e->getFile(), $e->getLine()));
    }
}
