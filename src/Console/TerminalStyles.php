<?php

declare(strict_types=1);

namespace Headroom\Console;

use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Formatter\OutputFormatterInterface;
use Symfony\Component\Console\Formatter\OutputFormatterStyle;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * The styles of reports, registered with Symfony's formatter, which knows whether the terminal shows colours. A report
 * applies a style itself and prints raw, so text of logs and URLs is never read as markup.
 *
 * @internal
 */
final readonly class TerminalStyles
{
    /** Foreground colour and options. */
    private const STYLES = [
        'critical' => ['bright-red', ['bold']],
        'high' => ['red', ['bold']],
        'medium' => ['yellow', ['bold']],
        'low' => ['blue', ['bold']],
        'info' => ['blue', []],
        'passed' => ['green', []],
        'warning' => ['yellow', []],
        'unknown' => ['yellow', []],
        'crashed' => ['bright-red', []],
        'heading' => ['default', ['bold']],
        'command' => ['cyan', []],
        'added' => ['green', []],
        'removed' => ['red', []],
    ];

    private function __construct(private OutputFormatterInterface $formatter)
    {
        foreach (self::STYLES as $name => [$color, $options]) {
            // An application may have its own style of this name.
            if (! $formatter->hasStyle($name)) {
                $formatter->setStyle($name, new OutputFormatterStyle($color, null, $options));
            }
        }
    }

    public static function of(OutputInterface $output): self
    {
        return new self($output->getFormatter());
    }

    public static function none(): self
    {
        return new self(new OutputFormatter(false));
    }

    /** @param string $text without control characters */
    public function apply(string $style, string $text): string
    {
        return $text !== '' && $this->formatter->isDecorated() && $this->formatter->hasStyle($style)
            ? $this->formatter->getStyle($style)->apply($text)
            : $text;
    }

    /**
     * @param list<string> $lines without control characters
     * @param array<string, string> $styles name of a style by the pattern of the lines that have it; the first one
     *     that matches counts
     * @return list<string>
     */
    public function paint(array $lines, array $styles): array
    {
        return $this->formatter->isDecorated()
            ? array_map(fn (string $line): string => $this->painted($line, $styles), $lines)
            : $lines;
    }

    /**
     * Prints lines that may contain text of logs and URLs, which raw output never reads as markup.
     *
     * @param list<string> $lines without control characters
     * @param array<string, string> $styles see paint()
     */
    public static function print(OutputInterface $output, array $lines, array $styles): void
    {
        $output->writeln(self::of($output)->paint($lines, $styles), OutputInterface::OUTPUT_RAW);
    }

    /** @param array<string, string> $styles */
    private function painted(string $line, array $styles): string
    {
        foreach ($styles as $pattern => $style) {
            if (preg_match($pattern, $line) === 1) {
                return $this->apply($style, $line);
            }
        }

        return $line;
    }
}
