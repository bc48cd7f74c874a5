<?php

declare(strict_types=1);

namespace Headroom\Console\Load;

use Headroom\Load\InvalidPlan;
use Headroom\Load\Stage;
use Headroom\Load\Stages;

/**
 * Parses the --stage options of `load`, in the syntax of k6: TIME:TARGET for virtual users, or TIME:TARGET/s for
 * requests per second. Each stage starts at the target of the previous one, the first at 0.
 * A stage of 0 s jumps to its target.
 *
 * @internal
 */
final readonly class StageParser
{
    private const FORM = '~\A([^:]+):(\d{1,7}(?:\.\d{1,6})?)(/s)?\z~';

    private const ALLOWED = "TIME:TARGET, such as '30s:100' for virtual users or '1m:500/s' for requests per second";

    private function __construct(public Stages $stages, public bool $arePerSecond) {}

    /**
     * @param list<string> $texts
     * @return ?self null without a stage
     *
     * @throws InvalidPlan
     */
    public static function parse(array $texts): ?self
    {
        $stages = [];
        $units = [];
        $from = 0.0;

        foreach ($texts as $text) {
            if (preg_match(self::FORM, $text, $m) !== 1) {
                throw InvalidPlan::option('stage', $text, self::ALLOWED);
            }

            $seconds = DurationParser::seconds('stage', $m[1]);
            $to = (float) $m[2];
            $units[$m[3] ?? ''] = $text;

            if ($seconds !== 0.0) {
                $stages[] = new Stage($from, $to, $seconds);
            }

            $from = $to;
        }

        if (count($units) > 1) {
            throw InvalidPlan::option(
                'stage',
                implode(' ', $units),
                'in virtual users for all stages, or in requests per second for all of them',
            );
        }

        if ($texts !== [] && $stages === []) {
            throw InvalidPlan::option('stage', implode(' ', $texts), 'longer than 0 s in at least one stage');
        }

        return $stages === [] ? null : new self(new Stages(...$stages), isset($units['/s']));
    }
}
