<?php

declare(strict_types=1);

namespace Headroom\Console\Logs;

use Headroom\Console\ProgressIndicator;
use Headroom\Doctor\Logs\LogSummary;
use Headroom\Doctor\Logs\SourceReaders;
use Headroom\Host\Log\LogFile;
use Headroom\Host\Log\LogLines;
use Headroom\Host\Log\UnableToReadLog;
use Symfony\Component\Console\Exception\InvalidArgumentException;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * Reads the files of the command line one after the other. A file that cannot be read does not stop the others.
 *
 * @internal
 */
final readonly class LogFiles
{
    /** @param list<string> $names */
    private function __construct(private array $names, private string $command, private ProgressIndicator $bar) {}

    /** @param string $command the name of the command that reads the files */
    public static function of(string $command, InputInterface $input, OutputInterface $output): self
    {
        $names = array_values(array_filter((array) $input->getArgument('file'), is_string(...)));

        if ($names === []) {
            throw new InvalidArgumentException('No file is given. Give at least one, or - for standard input.');
        }

        if (count(array_keys($names, LogFile::STDIN, true)) > 1) {
            throw new InvalidArgumentException('Standard input (-) is given twice. It can be read only once.');
        }

        return new self(self::once($names), $command, new ProgressIndicator($output));
    }

    /**
     * A shell pattern may match a file and a symbolic link to it, as in /var/log/containers.
     *
     * @param list<string> $names
     * @return list<string>
     */
    private static function once(array $names): array
    {
        $byFile = [];

        foreach ($names as $name) {
            $file = realpath($name);
            $byFile[$file === false ? $name : $file] ??= $name;
        }

        return array_values($byFile);
    }

    public function read(LogSummary $summary): LogReadResult
    {
        $result = new LogReadResult;

        foreach ($this->names as $name) {
            try {
                $this->readFile(LogFile::open($name), $summary, $result);
            } catch (UnableToReadLog $e) {
                $result->failures[] = $e;
            } finally {
                $this->bar->end();
            }
        }

        return $result;
    }

    /** @throws UnableToReadLog */
    private function readFile(LogFile $file, LogSummary $summary, LogReadResult $result): void
    {
        $result->files++;
        $lines = LogLines::of($this->watched($file, $result));
        $readers = new SourceReaders($summary);
        [$entries, $foreign] = [$summary->entries(), $summary->foreign()];
        $isWhole = false;

        try {
            $readers->read($lines);
            $isWhole = true;
        } finally {
            $readers->end(! $isWhole || $lines->reader()->isCut());
            $result->overlong += $lines->reader()->overlong();
        }

        $misread = MisreadFile::of(
            $file->name,
            $lines,
            $summary->foreign() - $foreign,
            $summary->entries() - $entries,
            $this->command,
        );
        $result->misread = $misread === null ? $result->misread : [...$result->misread, $misread];
    }

    /** @return iterable<string> */
    private function watched(LogFile $file, LogReadResult $result): iterable
    {
        $size = $file->size();

        if ($size !== null) {
            $this->bar->start(basename($file->name), $size);
        }

        foreach ($file->chunks() as $chunk) {
            $result->bytes += strlen($chunk);
            $this->bar->at($file->position());

            yield $chunk;
        }
    }
}
