<?php

declare(strict_types=1);

namespace Workbench\App\Http\Requests;

use Illuminate\Contracts\Validation\ValidationRule;
use Illuminate\Foundation\Http\FormRequest;
use Workbench\App\PageViewRow;
use Workbench\App\Rules\MaxBytes;

/**
 * One request of an access log in a form body, whose text may be any bytes. Limits count bytes.
 */
final class StoreBinaryEvent extends FormRequest
{
    /** @return array<string, list<string|ValidationRule>> */
    public function rules(): array
    {
        return [
            'id' => ['required', 'string', 'ascii', 'max:64'],
            'ip' => ['required', 'string', new MaxBytes(45)],
            'time' => ['required', 'string', new MaxBytes(32)],
            'method' => ['required', 'string', new MaxBytes(16)],
            'path' => ['required', 'string', new MaxBytes(2048)],
            'status' => ['required', 'integer', 'between:100,599'],
            'bytes' => ['nullable', 'integer', 'min:0'],
            'referer' => ['nullable', 'string', new MaxBytes(2048)],
            'agent' => ['nullable', 'string', new MaxBytes(1024)],
        ];
    }

    public function row(): PageViewRow
    {
        return PageViewRow::fromValidated($this->validated());
    }
}
