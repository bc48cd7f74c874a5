<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx;

/**
 * The output of a run of nginx, such as `nginx -T`.
 *
 * @internal
 */
final readonly class NginxOutput
{
    /** @param ?int $exitCode null when it could not be started or did not end in time */
    public function __construct(public ?int $exitCode, public string $output, public string $errors) {}

    /** Whether nginx ended because of its configuration, and not for want of a permission or of -T. */
    public function isRefusal(): bool
    {
        return str_contains($this->complaint(), '[emerg]') && ! str_contains($this->complaint(), 'Permission denied');
    }

    /** The line that says why it failed: nginx's last [emerg] or [alert], else the last it said. */
    public function complaint(): string
    {
        $lines = array_values(array_filter(
            array_map(trim(...), explode("\n", $this->errors)),
            static fn (string $line): bool => $line !== '',
        ));
        $grave = array_values(array_filter(
            $lines,
            static fn (string $line): bool => preg_match('/\[(emerg|alert|crit)\]/', $line) === 1,
        ));

        return $grave[count($grave) - 1]
            ?? $lines[count($lines) - 1]
            ?? "it ended with {$this->exitCode} and said nothing";
    }
}
