<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel;

use Headroom\Doctor\FactUnavailable;
use Headroom\Process\SignalMaskedCommand;
use Symfony\Component\Process\Exception\ExceptionInterface;
use Symfony\Component\Process\Exception\ProcessTimedOutException;
use Symfony\Component\Process\Process;

/**
 * Runs a program that answers a question. All that can go wrong with the program makes the fact unavailable: no program
 * of another package may end the doctor.
 *
 * @internal
 */
final readonly class ExternalProgram
{
    /** More than ss prints for 100,000 connections. */
    private const MAX_BYTES = 32 * 1024 * 1024;

    private const KILL = 9;

    public function __construct(private float $seconds = 5) {}

    /**
     * @param non-empty-list<string> $command
     * @param string $typed the command as a user types it
     *
     * @throws FactUnavailable if the program does not start, does not end in time, or prints without end
     */
    public function run(array $command, string $typed): ProgramOutput
    {
        $left = self::MAX_BYTES;

        try {
            $process = new Process($command, null, ['LC_ALL' => 'C'], null, $this->seconds);
            $code = SignalMaskedCommand::run($process, static function (
                string $of,
                string $text,
            ) use ($process, &$left): void {
                $isFirst = $left >= 0;
                $left -= strlen($text);

                if ($isFirst && $left < 0) {
                    $process->signal(self::KILL);
                }
            });

            return $left < 0
                ? throw UnreadableKernel::printsWithoutEnd($typed, self::MAX_BYTES)
                : new ProgramOutput($code, $process->getOutput(), $process->getErrorOutput());
        } catch (ProcessTimedOutException) {
            throw UnreadableKernel::tookTooLong($typed, $this->seconds);
        } catch (ExceptionInterface $e) {
            throw UnreadableKernel::notStarted($typed, $e->getMessage());
        }
    }

    /**
     * @param non-empty-list<string> $command
     *
     * @throws FactUnavailable also if the program ends with another code than 0
     */
    public function output(array $command, string $typed): string
    {
        $ended = $this->run($command, $typed);

        return $ended->code === 0
            ? $ended->output
            : throw UnreadableKernel::failed($typed, $ended->code, $ended->errors);
    }
}
