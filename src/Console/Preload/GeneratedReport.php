<?php

declare(strict_types=1);

namespace Headroom\Console\Preload;

use Headroom\Preload\DroppedClass;
use Headroom\Preload\DropReason;
use Headroom\Preload\GeneratedList;
use Headroom\Preload\Verification\Baseline;
use Headroom\Report\Format;
use Headroom\Support\TerminalText;

/**
 * Reports the generated list, the classes left out with their reasons, the expected gain, and the next steps.
 *
 * @internal
 */
final readonly class GeneratedReport
{
    private const SHOWN = 12;

    /** Reasons that are shown first; the others follow from the configuration. */
    private const NOTABLE = [DropReason::ChangesPage, DropReason::StopsPhp, DropReason::Warned];

    /** Names of styles by the lines that have them. */
    public const STYLES = [
        '/^Preload: /' => 'heading',
        '/^  [1-9][\d,]* warnings? of PHP /' => 'warning',
        '/^Nothing was installed /' => 'warning',
        '/ (was written|is unchanged) \([\d.,]+ s\)\.$/' => 'passed',
        '/^  opcache\.preload(_user)?=/' => 'command',
    ];

    /**
     * @param string $path of the script, as php.ini should name it
     * @param string $user that the workers run as
     */
    public function __construct(
        private GeneratedList $generated,
        private string $path,
        private string $user,
        private float $seconds,
    ) {}

    /** @return list<string> */
    public function lines(bool $isVerbose): array
    {
        $made = $this->generated;

        return [
            '',
            "Preload: {$made->strategy->value}, ".TerminalText::count(count($made->files), 'file').', '
                .Format::count($made->classes).' classes, '.self::megabytes($made->bytes).' of shared memory',
            sprintf(
                '  PHP-FPM starts in %s without and %s with it',
                self::millis($made->plainStartMillis),
                self::millis($made->startMillis),
            ),
            '  '.TerminalText::count(count($made->pages), 'page').' answered the same with it as without, '
                .Baseline::TIMES." times each: {$this->statuses()}",
            '  '.TerminalText::count(count($made->warnings), 'warning').' of PHP when it starts with it',
            ...array_map(static fn (string $warning): string => "    {$warning}", $made->warnings),
            ...$this->gain(),
            ...$this->pages(),
            ...$this->dropped($isVerbose),
            ...$this->advice(),
            '',
            ...$this->next(),
        ];
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        $made = $this->generated;

        return [
            'strategy' => $made->strategy->value,
            'mode' => $made->mode->value,
            'path' => $made->path,
            'installed' => $made->isInstalled,
            'changed' => $made->isChanged,
            'files' => $made->files,
            'classes' => $made->classes,
            'bytes' => $made->bytes,
            'start_ms' => ['without' => round($made->plainStartMillis, 1), 'with' => round($made->startMillis, 1)],
            'pages' => $made->pages,
            'pages_left_out' => $made->leftOut,
            'pages_unsteady' => $made->unsteady,
            'warnings' => $made->warnings,
            'dropped' => array_map(
                static fn (DroppedClass $one): array => [
                    'class' => $one->class,
                    'file' => $one->file,
                    'reason' => $one->reason->value,
                    'detail' => $one->detail,
                ],
                $made->dropped,
            ),
            'expected' => [
                'us_per_class' => round($made->gain->microsPerClass, 3),
                'classes_per_request' => round($made->gain->classesPerRequest, 1),
                'us_per_request' => $made->gain->requestMicros === null ? null : round($made->gain->requestMicros, 1),
                'share' => $made->gain->share() === null ? null : round($made->gain->share(), 4),
            ],
            'authoritative' => $made->isAuthoritative,
            'dev_packages' => $made->hasDevPackages,
            'seconds' => round($this->seconds, 1),
        ];
    }

    /** @return list<string> */
    private function gain(): array
    {
        $gain = $this->generated->gain;
        $share = $gain->share();

        return [
            sprintf(
                '  expected: %.0f classes a request, about %.1f us each to load without it,',
                $gain->classesPerRequest,
                $gain->microsPerClass,
            ),
            sprintf('    %.2f ms', $gain->micros() / 1_000)
                .($share === null
                    ? ''
                    : sprintf(
                        ' of %.1f ms of CPU, at least %.0f %%',
                        (float) $gain->requestMicros / 1_000,
                        100 * $share,
                    )),
            '  measure it with: headroom:bench:preload',
        ];
    }

    /** @return list<string> */
    private function pages(): array
    {
        $lines = [];

        foreach ($this->generated->leftOut as $page => $seen) {
            $lines[] = "  not compared: {$page}, without preloading {$seen}";
        }

        foreach ($this->generated->pages as $page => $status) {
            if ($status >= 500) {
                $lines[] = "  an error in both: {$page} answers {$status} without preloading, too";
            }
        }

        foreach ($this->generated->unsteady as $page) {
            $lines[] = "  only status, headers and errors compared: {$page}, whose body differs each time";
        }

        return $lines;
    }

    /** @return list<string> */
    private function dropped(bool $isVerbose): array
    {
        $dropped = $this->generated->dropped;
        usort(
            $dropped,
            static fn (DroppedClass $a, DroppedClass $b): int => in_array($b->reason, self::NOTABLE, true)
                <=> in_array($a->reason, self::NOTABLE, true),
        );
        $shown = $isVerbose ? $dropped : array_slice($dropped, 0, self::SHOWN);
        $lines = $dropped === []
            ? []
            : ['', 'Left out: '.Format::count(count($dropped)).(count($dropped) === 1 ? ' class' : ' classes')];

        foreach ($shown as $one) {
            $lines[] = "  {$one->class}: {$one->detail}";
        }

        return count($shown) === count($dropped)
            ? $lines
            : [...$lines, '  and '.(count($dropped) - count($shown)).' more: -v'];
    }

    /** @return list<string> */
    private function advice(): array
    {
        $lines = [];

        if (! $this->generated->isAuthoritative) {
            array_push(
                $lines,
                '',
                'First run: composer dump-autoload --optimize --classmap-authoritative',
                '  It saves more time per request than preloading does.',
            );
        }

        if ($this->generated->hasDevPackages) {
            array_push(
                $lines,
                '',
                'Composer installed development packages here. The list works only for this installation:',
                '  with packages installed by --no-dev it preloads nothing. Generate it there.',
            );
        }

        return $lines;
    }

    /** @return list<string> */
    private function next(): array
    {
        $took = Format::seconds($this->seconds);

        if (! $this->generated->isInstalled) {
            return ["Nothing was installed (--dry-run, {$took})."];
        }

        if (! $this->generated->isChanged) {
            return ["{$this->generated->path} is unchanged ({$took})."];
        }

        return [
            "{$this->generated->path} was written ({$took}).",
            'Set in php.ini of PHP-FPM, not in a pool:',
            "  opcache.preload={$this->path}",
            ...($this->user === 'root' ? [] : ["  opcache.preload_user={$this->user}"]),
            'If the file of opcache.preload does not exist, PHP-FPM does not start. If you deploy releases,',
            'name a file that stays (docs/preload.md, Deploy).',
            'Restart PHP-FPM now and with each deploy. Then check it: headroom:preload:status',
        ];
    }

    /** Such as "200 (12), 404 (1)": shows error pages, which also count as proven if they do not change. */
    private function statuses(): string
    {
        $counts = array_count_values($this->generated->pages);
        ksort($counts);

        return implode(
            ', ',
            array_map(
                static fn (int $status, int $count): string => "{$status} ({$count})",
                array_keys($counts),
                $counts,
            ),
        );
    }

    /** Mebibytes, which php.ini calls MB. */
    private static function megabytes(int $bytes): string
    {
        return sprintf('%.1f MB', $bytes / 1_048_576);
    }

    private static function millis(float $millis): string
    {
        return sprintf('%.0f ms', $millis);
    }
}
