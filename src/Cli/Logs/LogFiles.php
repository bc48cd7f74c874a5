<?php

declare(strict_types=1);

namespace Headroom\Cli\Logs;

use Closure;
use Headroom\Cli\Spool\Bar;
use Headroom\Host\Log\LineReader;
use Headroom\Host\Log\LogFile;
use Headroom\Host\Log\UnableToReadLog;
use Symfony\Component\Console\Exception\InvalidArgumentException;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * The files that a command was given, read one after the other: what can not be read keeps nobody from reading the rest.
 *
 * @internal
 */
final readonly class LogFiles
{
    /** @param list<string> $names */
    private function __construct(private array $names, private Bar $bar) {}

    public static function of(InputInterface $input, OutputInterface $output): self
    {
        $names = array_values(array_filter((array) $input->getArgument('file'), is_string(...)));

        if ($names === []) {
            throw new InvalidArgumentException('No file was named. Name at least one, or - for standard input.');
        }

        if (count(array_keys($names, LogFile::STDIN, true)) > 1) {
            throw new InvalidArgumentException('Standard input (-) was named twice. It can be read once.');
        }

        return new self($names, new Bar($output));
    }

    /**
     * @param Closure(iterable<string>): mixed $read gets the lines of a file
     * @param Closure(bool): mixed $end is told afterwards whether the last line had no end
     */
    public function read(Closure $read, Closure $end): Reading
    {
        $reading = new Reading;

        foreach ($this->names as $name) {
            $lines = new LineReader;

            try {
                $file = LogFile::open($name);
                $reading->files++;
                $read($lines->lines($this->watched($file, $reading)));
                $end($lines->isCut());
            } catch (UnableToReadLog $e) {
                $reading->failures[] = $e;
                $end(true);
            } finally {
                $this->bar->end();
            }

            $reading->overlong += $lines->overlong();
        }

        return $reading;
    }

    /** @return iterable<string> */
    private function watched(LogFile $file, Reading $reading): iterable
    {
        $size = $file->size();

        if ($size !== null) {
            $this->bar->start(basename($file->name), $size);
        }

        foreach ($file->chunks() as $chunk) {
            $reading->bytes += strlen($chunk);
            $this->bar->at($file->position());

            yield $chunk;
        }
    }
}
