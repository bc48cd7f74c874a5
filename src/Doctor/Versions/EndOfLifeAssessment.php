<?php

declare(strict_types=1);

namespace Headroom\Doctor\Versions;

use Closure;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;

/**
 * Judges one version of one product. A distribution fixes its packages until the distribution itself ends.
 *
 * @internal
 */
final readonly class EndOfLifeAssessment
{
    /**
     * @param string $product the name in endoflife.date
     * @param string $name for the report
     */
    public function __construct(private string $product, private string $name) {}

    /**
     * @param string $version as the product reports it: 1.22.1, 8.5.0RC1, 17beta1
     * @param Evidence $seen where the version was seen
     * @param Closure(): ?Distribution $shippedBy called for a version past its end; null for a build of its maker
     *
     * @throws FactUnavailable
     */
    public function of(string $version, Evidence $seen, Closure $shippedBy, Facts $facts): Finding
    {
        $ends = $facts->get(EndOfLifeDates::class);
        $number = preg_match('/\d+(?:\.\d+)*/', $version, $m) === 1 ? $m[0] : throw FactUnavailable::because(
            "'{$version}' is not a version of {$this->name} that can be compared.",
            'composer update headroom/headroom',
        );

        if (preg_match('/\d[-.]?(?:dev(?:el)?|alpha|beta|rc|dmr|m)[-.]?\d*(?![a-z])/i', $version) === 1) {
            return $this->unreleased($version, $seen, $ends);
        }

        $end = $ends->of($this->product, $number);
        $ended = $end === null ? '' : "{$this->name} {$end->cycle}";

        if ($end === null) {
            $end = $this->next($number, $ends);
            $ended = "{$this->name} {$number} is older than {$end->cycle}, which";
        }

        $evidence = [$seen, self::shown("end of {$this->name} {$end->cycle}", $end, $ends)];

        if ($end->date === null && $ends->isStale()) {
            throw $this->notInData("No end of {$this->name} {$end->cycle} was announced", $ends);
        }

        if (! $ends->isOver($end)) {
            return Finding::pass("{$this->name} {$end->cycle} gets security fixes", ...$evidence);
        }

        $ended .= " has had no security fixes from its maker since {$end->words()}";
        $distribution = $shippedBy();

        return $distribution === null
            ? $this->warned("{$ended}.", $evidence, $ends->newest($this->product))
            : $this->ofDistribution($distribution, $number, $ended, $evidence, $ends);
    }

    /**
     * @param string $ended a sentence about the end of its maker's fixes
     * @param list<Evidence> $evidence
     *
     * @throws FactUnavailable
     */
    private function ofDistribution(
        Distribution $distribution,
        string $number,
        string $ended,
        array $evidence,
        EndOfLifeDates $ends,
    ): Finding {
        $name = $distribution->name();
        $end = $ends->of($distribution->product, $distribution->version)
            ?? throw $this->notInData("Whether {$name} fixes its {$this->name} {$number} is not", $ends);
        $evidence[] = self::shown("end of {$name}, which ships it", $end, $ends);

        return $ends->isOver($end)
            ? $this->warned("{$ended}, and {$name} ended on {$end->words()}.", $evidence, $ends->newest($this->product))
            : Finding::pass("{$name} brings fixes to its {$this->name} {$number}", ...$evidence);
    }

    /** A version between two of the data, or before the first one, has ended if the next one has. */
    private function next(string $number, EndOfLifeDates $ends): ReleaseCycle
    {
        $next = $ends->after($this->product, $number);

        return $next !== null && $ends->isOver($next) ? $next : throw $this->notInData(
            "Until when {$this->name} {$number} gets security fixes is not",
            $ends,
        );
    }

    private function notInData(string $what, EndOfLifeDates $ends): FactUnavailable
    {
        return FactUnavailable::because("{$what} in the data of {$ends->date}.", 'composer update headroom/headroom');
    }

    private function unreleased(string $version, Evidence $seen, EndOfLifeDates $ends): Finding
    {
        return $this->warned(
            "{$this->name} {$version} is a build before its release, which gets no security fixes.",
            [$seen],
            $ends->newest($this->product),
        );
    }

    /** @param list<Evidence> $evidence */
    private function warned(string $message, array $evidence, ?string $newest): Finding
    {
        return Finding::warn(
            $message,
            $evidence,
            new Fix(
                $newest === null
                    ? 'Move to a product that is maintained.'
                    : "Move to {$this->name} {$newest}, or to a distribution that maintains the version it ships.",
                rollback: 'Nothing was changed.',
            ),
        );
    }

    /**
     * @param ?string $program null if it is not visible
     * @return Closure(): ?Distribution
     */
    public function packed(?string $program, Facts $facts): Closure
    {
        return fn (): ?Distribution => $program === null
            ? throw FactUnavailable::because(
                "This {$this->name} is past its end of support, and the doctor cannot see whether a distribution"
                    .' maintains it.',
                'sudo headroom doctor',
            )
            : $facts->get(SystemPackages::class)->of($program);
    }

    private static function shown(string $what, ?ReleaseCycle $end, EndOfLifeDates $ends): Evidence
    {
        return new Evidence($what, $end?->words() ?? 'not known', "endoflife.date as of {$ends->date}");
    }
}
