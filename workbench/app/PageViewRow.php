<?php

declare(strict_types=1);

namespace Workbench\App;

/**
 * The columns of one page view, made from a validated request. All endpoints make it,
 * so that they differ in the write alone.
 */
final readonly class PageViewRow
{
    /** @param array<string, mixed> $columns */
    private function __construct(public array $columns) {}

    /** @param array<string, mixed> $validated */
    public static function fromValidated(array $validated): self
    {
        $bytes = $validated['bytes'] ?? null;

        return new self([
            'seq' => $validated['id'],
            'ip' => $validated['ip'],
            'time' => $validated['time'],
            'method' => $validated['method'],
            'path' => $validated['path'],
            'status' => (int) $validated['status'],
            // A form sends an empty string where JSON sends null.
            'bytes' => is_numeric($bytes) ? (int) $bytes : null,
            'referer' => $validated['referer'] ?? null,
            'agent' => $validated['agent'] ?? null,
            'created_at' => now(),
        ]);
    }
}
