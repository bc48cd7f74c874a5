<?php

declare(strict_types=1);

namespace Headroom\Doctor\Checks;

use Closure;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Facts\Versions\Distribution;
use Headroom\Doctor\Facts\Versions\Packages;
use Headroom\Doctor\Facts\Versions\SupportEnd;
use Headroom\Doctor\Facts\Versions\SupportEnds;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\UnknownFact;

/**
 * Judges one version of one product. A distribution fixes what it ships for as long as the distribution lives.
 *
 * @internal
 */
final readonly class EndOfSupport
{
    private const SOURCE = 'https://endoflife.date';

    /**
     * @param string $product as endoflife.date calls it
     * @param string $name as people call it
     * @param string $rule that asks
     */
    public function __construct(private string $product, private string $name, private string $rule) {}

    /** @return non-empty-list<string> addresses for a rule */
    public static function sources(string ...$products): array
    {
        return array_map(static fn (string $product): string => self::SOURCE."/{$product}", $products === [] ? [''] : array_values($products));
    }

    /**
     * @param string $version such as 1.22.1
     * @param Evidence $seen where the version was seen
     * @param Closure(): ?Distribution $shippedBy asked for a version that is past its end; null for a build of its maker
     *
     * @throws UnknownFact
     */
    public function of(string $version, Evidence $seen, Closure $shippedBy, Facts $facts): Finding
    {
        $ends = $facts->get(SupportEnds::class);
        $end = $ends->of($this->product, $version);
        $evidence = [$seen, self::shown("end of {$this->name} {$version}", $end, $ends)];

        if ($end === null) {
            return Finding::pass("{$this->name} {$version} is not in the data of {$ends->date}", ...$evidence);
        }

        if (! $ends->isOver($end)) {
            return Finding::pass("{$this->name} {$end->cycle} gets security fixes", ...$evidence);
        }

        $distribution = $shippedBy();
        $shipped = $distribution === null ? null : $ends->of($distribution->product, $distribution->version);

        if ($distribution !== null && $shipped !== null) {
            $evidence[] = self::shown("end of {$distribution->name()}, which ships it", $shipped, $ends);

            if (! $ends->isOver($shipped)) {
                return Finding::pass("{$distribution->name()} brings fixes to its {$this->name} {$end->cycle}", ...$evidence);
            }
        }

        $newest = $ends->newest($this->product);

        return Finding::warn(
            "{$this->name} {$end->cycle} has had no security fixes from its maker since {$end->words()}"
                .($shipped === null ? '.' : ", and {$distribution->name()} ended on {$shipped->words()}."),
            $evidence,
            'A fault that becomes known stays open on this machine.',
            new Fix(
                $newest === null ? 'Move to a product that is maintained.' : "Move to {$this->name} {$newest}, or to a distribution that maintains the version it ships.",
                rollback: 'Nothing was changed.',
                verify: "headroom doctor --only={$this->rule}",
            ),
        );
    }

    /**
     * @param ?string $program null where it is not to be seen
     * @return Closure(): ?Distribution
     */
    public function packed(?string $program, Facts $facts): Closure
    {
        return fn (): ?Distribution => $program === null
            ? throw UnknownFact::because(
                "This {$this->name} is past its end of support, and whether a distribution maintains it cannot be seen from here.",
                "sudo headroom doctor --only={$this->rule}",
            )
            : $facts->get(Packages::class)->of($program);
    }

    private static function shown(string $what, ?SupportEnd $end, SupportEnds $ends): Evidence
    {
        return new Evidence($what, $end?->words() ?? 'not known', "endoflife.date as of {$ends->date}");
    }
}
