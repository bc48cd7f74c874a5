<?php

declare(strict_types=1);

namespace Headroom\Doctor\Runner;

use Headroom\Doctor\Check;
use Headroom\Doctor\CheckResult;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fpm\Runtime\UnreadableRuntime;
use Headroom\Doctor\Kernel\UnableToTell;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Doctor\Nginx\NginxServers;
use Headroom\Doctor\NotApplicable;
use Headroom\Doctor\Report;
use Throwable;

/**
 * Asks every check. One that fails says so and stops no other.
 *
 * @internal
 */
final readonly class CheckRunner
{
    /** @param list<Check> $checks */
    public function __construct(private array $checks) {}

    public function of(Facts $facts): Report
    {
        $verdicts = [];

        foreach ($this->checks as $check) {
            $rule = $check->rule();

            foreach ($this->ofEachNginx($check, $facts) as $finding) {
                $verdicts[] = new CheckResult($rule, $finding);
            }
        }

        return new Report($verdicts);
    }

    /**
     * Where several nginx run, whoever asks for one is asked about each, and says of which.
     *
     * @return list<Finding>
     */
    private function ofEachNginx(Check $check, Facts $facts): array
    {
        $watched = $facts->afresh();
        $findings = $this->findings($check, $watched);
        // Where there is none the check has said so.
        $all = $watched->wasAsked(NginxServer::class) ? $facts->find(NginxServers::class) : null;

        if ($all?->areSeveral() !== true || ($all->known !== [] && $facts->find(NginxServer::class) === null)) {
            return (new UnknownParts($watched->unread()))->in($findings);
        }

        $named = [];

        foreach ($all->known as $number => $server) {
            // The first one was examined already.
            if ($number > 0) {
                $watched = $facts->afresh($server);
                $findings = $this->findings($check, $watched);
            }

            foreach ((new UnknownParts($watched->unread($server)))->in($findings) as $finding) {
                $named[] = $finding->about(
                    ($finding->subject === '' ? '' : "{$finding->subject}, ").$all->name($server),
                );
            }
        }

        foreach ($all->unknown as $pid => $why) {
            $named[] = Finding::unknown($why->getMessage(), $why->command)->about("nginx with pid {$pid}");
        }

        return $named;
    }

    /** @return non-empty-list<Finding> */
    private function findings(Check $check, Facts $facts): array
    {
        try {
            $findings = $check->examine($facts);

            return $findings === [] ? [Finding::skipped('there is nothing here that it is about')] : $findings;
        } catch (FactUnavailable|UnableToTell|UnreadableRuntime $e) {
            return [Finding::unknown($e->getMessage(), $e->command)];
        } catch (NotApplicable $e) {
            return [Finding::skipped($e->getMessage())];
        } catch (Throwable $e) {
            return [
                Finding::crashed(sprintf('%s: %s (%s:%d)', $e::class, $e->getMessage(), $e->getFile(), $e->getLine())),
            ];
        }
    }
}
