<?php

declare(strict_types=1);

namespace Workbench\App\Http\Requests;

use Illuminate\Foundation\Http\FormRequest;
use Workbench\App\PageViewRow;

/**
 * One request of an access log, sent as JSON or as a form. `time` is UTC.
 */
final class StoreEvent extends FormRequest
{
    /** @return array<string, list<string>> */
    public function rules(): array
    {
        return [
            'id' => ['required', 'string', 'max:64'],
            'ip' => ['required', 'string', 'ip'],
            'time' => ['required', 'string', 'date_format:Y-m-d H:i:s'],
            'method' => ['required', 'string', 'regex:/\A[A-Z]{1,16}\z/'],
            'path' => ['required', 'string', 'max:2048'],
            'status' => ['required', 'integer', 'between:100,599'],
            'bytes' => ['nullable', 'integer', 'min:0'],
            'referer' => ['nullable', 'string', 'max:2048'],
            'agent' => ['nullable', 'string', 'max:1024'],
        ];
    }

    public function row(): PageViewRow
    {
        return PageViewRow::fromValidated($this->validated());
    }
}
