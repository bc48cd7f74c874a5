<?php

declare(strict_types=1);

namespace Headroom\Console;

use Symfony\Component\Console\Output\OutputInterface;

/**
 * Prints the one document that --json writes to stdout, for a failure too, and nothing else.
 *
 * @internal
 */
final readonly class JsonOutput
{
    private const FLAGS = JSON_THROW_ON_ERROR
        | JSON_UNESCAPED_SLASHES
        | JSON_INVALID_UTF8_SUBSTITUTE
        | JSON_PRESERVE_ZERO_FRACTION;

    public function __construct(private OutputInterface $output) {}

    /** @param array<string, mixed> $document */
    public function print(array $document): void
    {
        $this->output->writeln(
            $this->plain(json_encode($document, self::FLAGS | JSON_PRETTY_PRINT)),
            OutputInterface::OUTPUT_RAW,
        );
    }

    /**
     * Prints one of several documents on a line of its own.
     *
     * @param array<string, mixed> $document
     */
    public function printLine(array $document): void
    {
        $this->output->writeln($this->plain(json_encode($document, self::FLAGS)), OutputInterface::OUTPUT_RAW);
    }

    /** json_encode() escapes every control character and everything beyond ASCII, except DEL. */
    private function plain(string $json): string
    {
        return str_replace("\x7F", '\u007f', $json);
    }
}
