<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Stacks;

/**
 * The PHP stack of a process, read from outside while the process runs. The offsets are those of PHP 8.2 without
 * threads on x86-64, from zend_globals.h, zend_compile.h and zend_types.h. Other minor versions, thread-safe builds
 * and architectures have others.
 */
final readonly class Stacks
{
    private const CURRENT_EXECUTE_DATA = 488;

    /** func, This, prev_execute_data of _zend_execute_data */
    private const FRAME = [24, 32];

    private const FUNCTION_NAME = 8;

    private const CLASS_NAME = 8;

    private const STRING_LENGTH = 16;

    private const LONGEST_NAME = 512;

    private const DEEPEST = 500;

    public function __construct(private Memory $memory, private int $executorGlobals) {}

    /**
     * @return list<string> the outermost first; empty if the process runs no PHP
     * @throws UnableToRead if the process has changed a pointer meanwhile
     */
    public function now(): array
    {
        $frames = [];
        $frame = $this->pointer($this->executorGlobals + self::CURRENT_EXECUTE_DATA);

        while ($frame !== 0) {
            if (count($frames) === self::DEEPEST) {
                throw UnableToRead::because('The stack has no end.');
            }

            [$function, $frame] = $this->frame($frame);

            if ($function !== 0) {
                $frames[] = $this->name($function);
            }
        }

        return array_reverse($frames);
    }

    /**
     * @return array{int, int} function and previous frame
     *
     * @throws UnableToRead
     */
    private function frame(int $address): array
    {
        [$at, $length] = self::FRAME;
        $words = $this->words($address + $at, $length);

        return [$words[0], $words[3]];
    }

    /** @throws UnableToRead */
    private function name(int $function): string
    {
        [$name, $class] = $this->words($function + self::FUNCTION_NAME, 16);

        if ($name === 0) {
            return '(main)';
        }

        return ($class === 0 ? '' : $this->text($this->pointer($class + self::CLASS_NAME)).'::').$this->text($name);
    }

    /** @throws UnableToRead */
    private function text(int $string): string
    {
        $length = $this->pointer($string + self::STRING_LENGTH);

        return $length > 0 && $length <= self::LONGEST_NAME
            ? $this->memory->read($string + self::STRING_LENGTH + 8, $length)
            : throw UnableToRead::because("A name of {$length} bytes.");
    }

    /** @throws UnableToRead */
    private function pointer(int $address): int
    {
        return $this->words($address, 8)[0];
    }

    /**
     * @return list<int>
     *
     * @throws UnableToRead
     */
    private function words(int $address, int $bytes): array
    {
        /** @var array<int, int> $words */
        $words = unpack('P*', $this->memory->read($address, $bytes));

        return array_values($words);
    }
}
