<?php

declare(strict_types=1);

namespace Workbench\App\Audit;

/**
 * What a request has noted for the auditors. Others ask whether this class is loaded to learn whether anything was
 * noted, as one asks for a debug bar or a profiler. That works until somebody loads it beforehand.
 */
final class AuditTrail
{
    /** @var list<string> */
    private array $notes = [];

    public function note(string $what): void
    {
        $this->notes[] = $what;
    }

    /** @return list<string> */
    public function notes(): array
    {
        return $this->notes;
    }
}
