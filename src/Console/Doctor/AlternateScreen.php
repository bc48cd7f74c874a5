<?php

declare(strict_types=1);

namespace Headroom\Console\Doctor;

use Headroom\Process\Stty;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * Uses the alternate screen of the terminal, as less and top do, and restores the previous content afterwards. It reads
 * single keys if the terminal allows that. Symfony's Cursor has no alternate screen, and writes each line by itself,
 * which flickers.
 *
 * @internal
 */
final class AlternateScreen
{
    private const ENTER = "\e[?1049h\e[?25l\e[?7l";

    private const LEAVE = "\e[?7h\e[?25h\e[?1049l";

    /** @var list<string> */
    private array $last = [];

    /** @param ?string $modes of the terminal, in the format of stty; null if keys are not read */
    private function __construct(private readonly OutputInterface $output, private readonly ?string $modes) {}

    public static function take(OutputInterface $output): self
    {
        $modes = stream_isatty(STDIN) ? Stty::run('-g') : null;
        $isRead = $modes !== null && $modes !== '' && Stty::run('-icanon', '-echo', 'min', '0', 'time', '0') !== null;
        $output->write(self::ENTER, false, OutputInterface::OUTPUT_RAW);

        return new self($output, $isRead ? $modes : null);
    }

    /** @param list<string> $lines cut to the size of the terminal */
    public function show(array $lines): void
    {
        $this->last = $lines;
        // The user may have resized the terminal.
        $rows = preg_match('/\A(\d+) \d+\z/', (string) Stty::run('size'), $m) === 1 ? max(1, (int) $m[1]) : 24;
        $this->output->write(
            "\e[H".implode("\e[K\r\n", array_slice($lines, 0, $rows))."\e[K\e[J",
            false,
            OutputInterface::OUTPUT_RAW,
        );
    }

    /** Whether q was pressed since the last call. */
    public function isQuit(): bool
    {
        if ($this->modes === null) {
            return false;
        }

        $read = [STDIN];
        $none = null;

        return @stream_select($read, $none, $none, 0) === 1 && preg_match('/q/i', (string) fread(STDIN, 64)) === 1;
    }

    /** Restores the previous content, and prints the last lines below it. */
    public function leave(): void
    {
        $this->output->write(self::LEAVE, false, OutputInterface::OUTPUT_RAW);

        if ($this->modes !== null) {
            Stty::run($this->modes);
        }

        $this->output->writeln($this->last, OutputInterface::OUTPUT_RAW);
        $this->last = [];
    }
}
