<?php

declare(strict_types=1);

namespace Headroom\Doctor\Runner;

/**
 * How a user types the commands that findings name. The checks name them by their own names: `headroom doctor` and
 * `artisan config:cache`.
 *
 * @internal
 */
final readonly class CommandNames
{
    private const DOCTOR = 'headroom doctor';

    private const ARTISAN = 'artisan';

    /**
     * @param string $doctor the command that runs the checks
     * @param string $artisan the command that runs artisan
     */
    public function __construct(private string $doctor = self::DOCTOR, private string $artisan = self::ARTISAN) {}

    /** @param string $id of the check that is to run again */
    public function verifying(string $id): string
    {
        return "{$this->doctor} --only={$id}";
    }

    public function typed(string $command): string
    {
        foreach ([self::ARTISAN => $this->artisan, self::DOCTOR => $this->doctor] as $name => $typed) {
            if (str_starts_with($command, "{$name} ")) {
                return $typed.substr($command, strlen($name));
            }
        }

        return $command;
    }
}
